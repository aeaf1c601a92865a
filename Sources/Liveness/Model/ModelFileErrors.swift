import FoundationEssentials

extension DecodingError {
  /// Where in the file decoding stopped, as a path of keys; "file" for the whole.
  package var keyPath: String {
    switch self {
    case .keyNotFound(let key, let context): context.keyPath(with: key)
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      context.keyPath
    @unknown default: "file"
    }
  }

  var modelError: LivenessModelError {
    if case .dataCorrupted(let context) = self, context.codingPath.last?.stringValue == "feature" {
      return LivenessModelError(.unknownFeature, at: keyPath)
    }
    return LivenessModelError(.malformed, at: keyPath)
  }
}

extension DecodingError.Context {
  var keyPath: String { keyPath(with: nil) }

  fileprivate func keyPath(with last: (any CodingKey)?) -> String {
    let keys = (codingPath + [last].compactMap { $0 }).map { $0.intValue.map(String.init) ?? $0.stringValue }
    return keys.isEmpty ? "file" : keys.joined(separator: ".")
  }
}

extension [UInt8] {
  /// This JSON with NaN, infinities and numbers beyond the greatest made texts, so that a decoder says which field they stand
  /// in; `nil` without any.
  var quotingNumbersThatAreNone: [UInt8]? {
    var (result, isFound, isText) = ([UInt8](), false, false)
    result.reserveCapacity(count)
    var index = 0
    while index < count {
      if isText, self[index] == UInt8(ascii: "\\"), index + 1 < count {
        result += self[index...index + 1]
        index += 2
        continue
      }
      if self[index] == UInt8(ascii: "\"") { isText.toggle() }
      let word = isText ? [] : Array(self[index...].prefix { Self.numberBytes.contains($0) })
      if let number = Double(String(decoding: word, as: UTF8.self)), !number.isFinite {
        isFound = true
        result += [UInt8(ascii: "\"")] + word + [UInt8(ascii: "\"")]
      } else {
        result.append(contentsOf: word.isEmpty ? [self[index]] : word)
      }
      index += Swift.max(word.count, 1)
    }
    return isFound ? result : nil
  }

  /// What numbers are written with, those that are none (NaN, Infinity) included.
  private static let numberBytes = Set("+-.0123456789eENaInfity".utf8)
}
