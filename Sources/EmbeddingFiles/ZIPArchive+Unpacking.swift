internal import CZlib

extension ZIPArchive {
  /// What claims more than this ratio, and is not small, is refused before anything is allocated for it. Deflate
  /// can reach 1,032:1 (https://zlib.net/zlib_tech.html), but only with endless repetition; numbers that a model
  /// puts out don't.
  static let greatestRatio = 100
  static let smallSize = 1 << 20

  /// The unpacked bytes of `member`, with their checksum verified.
  func bytes(of member: Member) throws(EmbeddingFileError) -> ByteSource {
    let unpacked = try unpack(member, first: member.size)
    let checksum = unpacked.withUnsafeBytes {
      UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count))
    }
    guard checksum == member.checksum else {
      throw unpacked.origin.error(
        .malformed, expected: "the checksum 0x\(String(member.checksum, radix: 16))",
        found: "0x\(String(checksum, radix: 16)): the content is damaged")
    }
    return unpacked
  }

  /// The first bytes of `member`, at most `count`, unverified: enough to see what it is.
  func prefix(of member: Member, _ count: Int) throws(EmbeddingFileError) -> ByteSource {
    try unpack(member, first: min(count, member.size))
  }

  private func unpack(_ member: Member, first count: Int) throws(EmbeddingFileError) -> ByteSource {
    let packed = try packedBytes(of: member)
    // Bit 0: encrypted; 5: a patch; 6: strong encryption; 13: a masked header.
    guard member.flags & 0x2061 == 0 else {
      throw packed.origin.error(
        .unsupported, expected: "a member without encryption",
        found: "flags 0x\(String(member.flags, radix: 16))")
    }
    switch member.method {
    case 0:
      guard member.size == member.packedSize else {
        throw packed.origin.error(
          .malformed, expected: "a stored member of \(member.size) bytes", found: "\(member.packedSize) bytes"
        )
      }
      return packed.part(0..<count, origin: packed.origin)
    case 8:
      return try inflate(packed, member, first: count)
    default:
      throw packed.origin.error(
        .unsupported, expected: "a member stored (0) or deflated (8)", found: "method \(member.method)")
    }
  }

  private func inflate(
    _ packed: ByteSource, _ member: Member, first count: Int
  ) throws(EmbeddingFileError) -> ByteSource {
    guard member.size <= Self.smallSize || member.size / Self.greatestRatio <= packed.count else {
      throw packed.origin.error(
        .tooLarge, expected: "at most \(Self.greatestRatio) times the \(packed.count) packed bytes",
        found: "a member of \(member.size) bytes")
    }
    try packed.origin.requireMemory(count, of: 1)

    var result = InflateResult(end: Z_OK, written: 0, read: 0)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialised in
      result = packed.withUnsafeBytes { inflateBytes($0, into: buffer) }
      initialised = result.written
    }
    if count < member.size {
      // Only a prefix was wanted; its end is not the stream's.
      guard result.written == count else { throw damage(result, packed, member) }
    } else {
      guard result.end == Z_STREAM_END, result.written == count, result.read == packed.count else {
        throw damage(result, packed, member)
      }
    }
    return ByteSource(bytes, origin: packed.origin)
  }

  private func damage(_ result: InflateResult, _ packed: ByteSource, _ member: Member) -> EmbeddingFileError {
    let found =
      switch result.end {
      case Z_STREAM_END: "\(result.written) bytes from \(result.read)"
      case Z_DATA_ERROR: "damage after \(result.written) bytes"
      case Z_MEM_ERROR: "no memory to unpack them"
      case _ where result.read == packed.count: "the end after \(result.written) bytes"
      default: "more"
      }
    return packed.origin.error(
      .malformed, at: .byte(result.written),
      expected: "\(member.size) bytes deflated into \(packed.count)", found: found)
  }
}

private struct InflateResult {
  /// zlib's status at the end.
  var end: Int32
  var written: Int
  var read: Int
}

/// Inflates a raw deflate stream until it ends, `output` is full or an error is met.
///
/// zlib's counters have 32 bits, so both ends are handed over in pieces.
private func inflateBytes(
  _ input: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
) -> InflateResult {
  let piece = 1 << 30
  var stream = z_stream()
  // Negative: a bare deflate stream, as zip has it, without zlib's own header.
  var status = inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  guard status == Z_OK else { return InflateResult(end: status, written: 0, read: 0) }
  defer { inflateEnd(&stream) }

  // The end of a stream may follow its last byte of output, so zlib needs one call with no room at all.
  var spare: UInt8 = 0
  var read = 0
  var written = 0
  return withUnsafeMutablePointer(to: &spare) { spare in
    while status == Z_OK {
      let (inputSize, outputSize) = (min(piece, input.count - read), min(piece, output.count - written))
      // zlib takes a pointer to mutable bytes and does not write to them.
      stream.next_in = input.baseAddress.map {
        UnsafeMutablePointer(mutating: ($0 + read).assumingMemoryBound(to: UInt8.self))
      }
      stream.avail_in = UInt32(inputSize)
      stream.next_out = output.baseAddress.map { $0 + written } ?? spare
      stream.avail_out = UInt32(outputSize)
      status = CZlib.inflate(&stream, Z_NO_FLUSH)
      read += inputSize - Int(stream.avail_in)
      written += outputSize - Int(stream.avail_out)
    }
    return InflateResult(end: status, written: written, read: read)
  }
}
