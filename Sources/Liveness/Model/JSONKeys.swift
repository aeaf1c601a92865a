/// The keys of a JSON text that has been decoded, so is well formed: what a decoder that asks for the keys it knows passes over.
struct JSONKeys {
  /// By their paths, entries of arrays by their numbers; each as often as it stands there.
  private(set) var paths: [String] = []
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    value(at: "")
  }

  /// The first key that stands twice in its object.
  var firstRepeated: String? {
    var seen: Set<String> = []
    return paths.first { !seen.insert($0).inserted }
  }

  private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  private mutating func value(at path: String) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): entries(UInt8(ascii: "}"), of: path, withKeys: true)
    case UInt8(ascii: "["): entries(UInt8(ascii: "]"), of: path, withKeys: false)
    case UInt8(ascii: "\""): _ = text()
    default: while !",]} \n\r\t".utf8.contains(next), position < bytes.count { position += 1 }
    }
  }

  private mutating func entries(_ close: UInt8, of path: String, withKeys: Bool) {
    position += 1
    var index = 0
    while true {
      skipSpace()
      guard next != close, position < bytes.count else { break }
      if next == UInt8(ascii: ",") {
        position += 1
        continue
      }
      let before = position
      var name = "\(index)"
      if withKeys {
        name = text()
        skipSpace()
        position += 1
      }
      let place = path.isEmpty ? name : "\(path).\(name)"
      if withKeys { paths.append(place) }
      value(at: place)
      // What is not JSON is passed over, not looped on.
      if position == before { position += 1 }
      index += 1
    }
    position += 1
  }

  /// A text's bytes between its quotes, escapes as they stand.
  private mutating func text() -> String {
    position += 1
    let start = min(position, bytes.count)
    while position < bytes.count, next != UInt8(ascii: "\"") {
      position += next == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(position, bytes.count)
    position = end + 1
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func skipSpace() {
    while " \n\r\t".utf8.contains(next), position < bytes.count { position += 1 }
  }
}
