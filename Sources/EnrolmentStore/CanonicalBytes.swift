/// Bytes in which equal content is equal and different content different: lengths first, little-endian.
package struct CanonicalBytes {
  package private(set) var bytes: [UInt8] = []

  package init(_ domain: String) {
    append(domain)
  }

  package mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(_ more: [UInt8]) {
    append(UInt64(more.count))
    bytes.append(contentsOf: more)
  }
}
