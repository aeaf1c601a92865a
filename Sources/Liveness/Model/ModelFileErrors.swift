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
  /// This JSON with NaN, Infinity and -Infinity made texts, so that a decoder says which number they stand for; `nil`
  /// without any.
  var quotingNumbersThatAreNone: [UInt8]? {
    var (result, isFound, isText) = ([UInt8](), false, false)
    result.reserveCapacity(count)
    var index = 0
    while index < count {
      let byte = self[index]
      if isText, byte == UInt8(ascii: "\\"), index + 1 < count {
        result += self[index...index + 1]
        index += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { isText.toggle() }
      let rest = self[index...]
      let word = isText ? nil : ["NaN", "-Infinity", "Infinity"].first { rest.starts(with: $0.utf8) }
      if let word {
        isFound = true
        result += Array("\"\(word)\"".utf8)
        index += word.utf8.count
      } else {
        result.append(byte)
        index += 1
      }
    }
    return isFound ? result : nil
  }
}
