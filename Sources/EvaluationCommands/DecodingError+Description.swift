extension DecodingError {
  /// Where and what was expected, without the values.
  package var shortDescription: String {
    switch self {
    case .keyNotFound(let key, let context):
      Self.text(context.codingPath + [key], "expected a value, found none")
    case .typeMismatch(let type, let context): Self.text(context.codingPath, "expected \(Self.name(type))")
    case .valueNotFound(let type, let context):
      Self.text(context.codingPath, "expected \(Self.name(type)), found null")
    case .dataCorrupted(let context): Self.text(context.codingPath, Self.reason(context))
    @unknown default: "it can't be decoded"
    }
  }

  private static func text(_ path: [any CodingKey], _ what: String) -> String {
    let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return place.isEmpty ? what : "\(place): \(what)"
  }

  /// The decoder's own words for what is malformed hold the value.
  private static func reason(_ context: Context) -> String {
    if context.codingPath.isEmpty, context.underlyingError != nil { return "expected JSON" }
    if context.debugDescription.hasPrefix("Cannot initialize") {
      return "expected a value that is known here"
    }
    let isNumber =
      context.debugDescription.hasPrefix("Number ") || context.debugDescription.contains("JSON number")
    return isNumber ? "expected a number that can be held" : context.debugDescription
  }

  /// What JSON calls it.
  private static func name(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    default: "\(type)".hasPrefix("Array") || "\(type)".contains("Unkeyed") ? "a list" : "an object"
    }
  }
}
