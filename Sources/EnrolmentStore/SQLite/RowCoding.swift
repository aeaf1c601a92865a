import Biometrics

/// The sealed forms that hold embeddings: numbers little-endian, lengths first.
enum RowCoding {
  static func encode(_ embeddings: [UncheckedEmbedding]) -> [UInt8] {
    var bytes: [UInt8] = []
    append(UInt32(embeddings.count), to: &bytes)
    var space: EmbeddingSpace?
    for embedding in embeddings {
      // The space of the one before need not be said again: an empty text stands for it.
      let text = embedding.space == space ? [] : RecordCoding.encode(embedding.space)
      space = embedding.space
      append(UInt32(text.count), to: &bytes)
      bytes += text
      bytes.append(embedding.quality == nil ? 0 : 1)
      append(embedding.quality?.bitPattern ?? 0, to: &bytes)
      append(UInt32(embedding.values.count), to: &bytes)
      for value in embedding.values { append(value.bitPattern, to: &bytes) }
    }
    return bytes
  }

  static func decodeEmbeddings(
    _ reader: inout ByteReader
  ) throws(StoreError) -> [UncheckedEmbedding] {
    var embeddings: [UncheckedEmbedding] = []
    var space: EmbeddingSpace?
    for _ in 0..<(try reader.integer(UInt32.self)) {
      let text = try reader.bytes(Int(try reader.integer(UInt32.self)))
      if !text.isEmpty { space = try RecordCoding.decode(EmbeddingSpace.self, from: text, reader.context) }
      guard let space else { throw reader.damaged() }
      let hasQuality = try reader.integer(UInt8.self) == 1
      let quality = Float(bitPattern: try reader.integer(UInt32.self))
      let count = Int(try reader.integer(UInt32.self))
      let values = try reader.floats(count)
      embeddings.append(UncheckedEmbedding(values, space: space, quality: hasQuality ? quality : nil))
    }
    return embeddings
  }

  static func encode(_ evidence: AttemptEvidence) -> [UInt8] {
    var bytes = encode(evidence.probe)
    append(UInt32(evidence.capture.count), to: &bytes)
    return bytes + evidence.capture
  }

  static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Reads what `RowCoding` wrote; throws `damaged` rather than read past the end.
struct ByteReader {
  private var rest: ArraySlice<UInt8>
  let context: String

  init(_ bytes: [UInt8], _ context: String) {
    rest = bytes[...]
    self.context = context
  }

  var isAtEnd: Bool { rest.isEmpty }

  func damaged() -> StoreError { StoreError(.damaged, "\(context): not of its form") }

  mutating func bytes(_ count: Int) throws(StoreError) -> [UInt8] {
    guard count <= rest.count else { throw damaged() }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func integer<Number: FixedWidthInteger>(_: Number.Type) throws(StoreError) -> Number {
    let bytes = try bytes(Number.bitWidth / 8)
    return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  mutating func floats(_ count: Int) throws(StoreError) -> [Float] {
    guard count <= rest.count / 4 else { throw damaged() }
    let bytes = try bytes(4 * count)
    return bytes.withUnsafeBytes { memory in
      (0..<count).map {
        Float(bitPattern: UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
  }

  mutating func remaining() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
