import Testing

@testable import EmbeddingFiles

@Suite("Numpy archives")
struct NumpyArchiveTests {
  @Test(
    "stored, deflated, streamed and zip64 archives read as numpy reads them", arguments: Vectors.names(".npz")
  )
  func archiveReadsAsNumpyReadsIt(name: String) throws {
    let matrix = try EmbeddingFile.read(Vectors.path(name))
    #expect(matrix.equals(try #require(Vectors.expected[name])))
  }

  @Test("the vectors are what they are named for")
  func vectorsAreWhatTheyAreNamedFor() throws {
    let methods = try ["stored.npz", "deflated.npz"].map { try archive($0).members.map(\.method) }
    #expect(methods == [[0, 0, 0], [8, 8, 8]])
    // Bit 3: the sizes follow the data, and its local header says 0.
    #expect(try archive("streamed.npz").members[0].flags & 8 != 0)
    for name in ["zip64-stored.npz", "zip64-deflated.npz"] {
      let bytes = try Vectors.bytes(name)
      #expect(bytes.contains([0x50, 0x4b, 6, 6]) && bytes.contains([0x50, 0x4b, 6, 7]))
      let entry = try #require(bytes.firstRange(of: [0x50, 0x4b, 1, 2])).lowerBound
      #expect(Array(bytes[entry + 24..<entry + 28]) == [255, 255, 255, 255])
    }
  }

  @Test("a member is found by its name, with or without .npy", arguments: ["other", "other.npy"])
  func memberByName(member: String) throws {
    let matrix = try EmbeddingFile.read(Vectors.path("stored.npz"), member: member)
    #expect(matrix.rowCount == 2)
    #expect(matrix.dimension == 4)
  }

  @Test("a member that is not there is refused with the names of those that are")
  func memberThatIsNotThere() {
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("stored.npz"), member: "faces")
    }
    #expect(error?.code == .missing)
    #expect(error?.found == "embeddings, other, labels")
  }

  @Test(
    "an archive in which no one array is meant is refused with the names",
    arguments: [
      ("several.npz", EmbeddingFileError.Code.ambiguous, "first, second"),
      ("no-matrix.npz", .missing, "none among labels, norms"),
      ("empty.npz", .missing, "none among no array"),
      ("twice.npz", .ambiguous, "2: embeddings, embeddings"),
    ])
  func noOneArray(name: String, code: EmbeddingFileError.Code, found: String) {
    let error = refusal { try EmbeddingFile.read(Vectors.path(name)) }
    #expect(error?.code == code)
    #expect(error?.found == found)
  }

  @Test("a zip64 archive whose older fields are all ones is read, as when they are too small")
  func zip64AllOnes() throws {
    var bytes = try Vectors.bytes("zip64-deflated.npz")
    let end = bytes.count - 22
    bytes.replaceSubrange(end + 8..<end + 20, with: repeatElement(0xff, count: 12))
    let matrix = try EmbeddingFile.decode(bytes, name: "x.npz")
    #expect(matrix.equals(try #require(Vectors.expected["zip64-deflated.npz"])))
  }

  @Test("a member name is refused for a file that is no archive")
  func memberOfAnArray() {
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("f4-little-c-v1.npy"), member: "embeddings")
    }
    #expect(error?.code == .missing)
  }

  @Test("a fault inside a member is told with the member's name and the offset in it")
  func faultInsideAMember() throws {
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("stored.npz"), member: "labels")
    }
    #expect(error?.code == .unsupported)
    #expect(error?.member == "labels.npy")
    #expect(error?.description.contains("stored.npz, member labels.npy, byte 20: expected elements") == true)
  }

  @Test("other packing and encryption are refused")
  func otherPacking() throws {
    let packed = refusal { try EmbeddingFile.read(Vectors.path("bzip2.npz")) }
    #expect(packed?.code == .unsupported)
    #expect(packed?.found == "method 12")

    let encrypted = error(afterChanging: "stored.npz", at: 8, to: [1, 0])
    #expect(encrypted?.code == .unsupported)
    #expect(encrypted?.found == "flags 0x1")
  }

  @Test("a member that claims far more than its packed bytes can hold is refused before it is unpacked")
  func bomb() {
    let error = error(afterChanging: "deflated.npz", at: 24, to: [0xff, 0xff, 0xff, 0x7f])
    #expect(error?.code == .tooLarge)
  }

  @Test("a member that unpacks to more or less than it claims is refused", arguments: [-1, 1, 1000])
  func wrongSize(difference: Int) throws {
    let size = UInt32(try archive("deflated.npz").members[0].size + difference)
    let bytes = withUnsafeBytes(of: size.littleEndian) { Array($0) }
    #expect(error(afterChanging: "deflated.npz", at: 24, to: bytes)?.code == .malformed)
  }

  @Test("damaged content is refused by its checksum")
  func damagedContent() throws {
    let bytes = try Vectors.bytes("stored.npz")
    let content = try archive("stored.npz").packedBytes(of: try archive("stored.npz").members[0])
    let place = try #require(bytes.firstRange(of: Array(content[0..<content.count])))
    for bit in place.lowerBound * 8..<place.upperBound * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      let error = refusal { try EmbeddingFile.decode(damaged, name: "x.npz") }
      #expect(error?.expected.hasPrefix("the checksum 0x") == true, "bit \(bit)")
    }
  }

  @Test(
    "a flipped bit anywhere is refused or changes no value",
    arguments: ["stored.npz", "streamed.npz", "zip64-deflated.npz"])
  func flippedBits(name: String) throws {
    let bytes = try Vectors.bytes(name)
    let expected = try #require(Vectors.expected[name])
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      guard let matrix = try? EmbeddingFile.decode(damaged, name: "x.npz") else { continue }
      #expect(matrix.equals(expected), "bit \(bit)")
    }
  }

  @Test("an archive cut short at any byte is refused", arguments: Vectors.names(".npz"))
  func truncatedArchive(name: String) throws {
    let bytes = try Vectors.bytes(name)
    for count in 0..<bytes.count {
      #expect(throws: EmbeddingFileError.self, "cut at \(count)") {
        try EmbeddingFile.decode(Array(bytes[..<count]), name: "x.npz")
      }
    }
  }

  private func archive(_ name: String) throws -> ZIPArchive {
    try ZIPArchive(ByteSource(try Vectors.bytes(name), origin: Origin(file: name)))
  }

  /// The error of reading a vector whose first entry of the central directory has other bytes at `offset`.
  private func error(
    afterChanging name: String, at offset: Int, to bytes: [UInt8], location: SourceLocation = #_sourceLocation
  ) -> EmbeddingFileError? {
    guard var damaged = try? Vectors.bytes(name),
      let entry = damaged.firstRange(of: [0x50, 0x4b, 1, 2])?.lowerBound
    else {
      Issue.record("\(name) has no central directory", sourceLocation: location)
      return nil
    }
    damaged.replaceSubrange(entry + offset..<entry + offset + bytes.count, with: bytes)
    return refusal(location) {
      try EmbeddingFile.decode(damaged, name: "x.npz")
    }
  }
}
