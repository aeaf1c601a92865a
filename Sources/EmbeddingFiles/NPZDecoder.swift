extension EmbeddingFile {
  /// The array in the archive `source` that `member` names (with or without `.npy`); without a name the one
  /// called `embeddings`, else the only two-dimensional array of floats.
  static func decodeNPZ(_ source: ByteSource, member: String?) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let archive = try ZIPArchive(source)
    return try decodeNPY(try archive.bytes(of: try chooseMember(of: archive, named: member)))
  }

  private static func chooseMember(
    of archive: ZIPArchive, named wanted: String?
  ) throws(EmbeddingFileError) -> ZIPArchive.Member {
    let arrays = archive.members.filter { $0.name.ends(with: ".npy") }
    let origin = archive.source.origin
    let name = wanted ?? "embeddings"
    let named = arrays.filter {
      $0.name.elementsEqual(name.utf8) || $0.name.elementsEqual((name + ".npy").utf8)
    }
    if named.count == 1 { return named[0] }
    guard named.isEmpty else {
      throw origin.error(
        .ambiguous, expected: "one member \(printable(name.utf8))", found: "\(named.count): \(list(named))")
    }
    if wanted != nil {
      throw origin.error(.missing, expected: "a member \(printable(name.utf8))", found: list(arrays))
    }

    var matrices: [ZIPArchive.Member] = []
    for array in arrays {
      if try isMatrix(array, of: archive) { matrices.append(array) }
    }
    if matrices.count == 1 { return matrices[0] }
    throw origin.error(
      matrices.isEmpty ? .missing : .ambiguous,
      expected: "a member named embeddings or exactly one two-dimensional array of floats",
      found: matrices.isEmpty ? "none among \(list(arrays))" : list(matrices))
  }

  private static func isMatrix(
    _ member: ZIPArchive.Member, of archive: ZIPArchive
  ) throws(EmbeddingFileError) -> Bool {
    let start = try archive.prefix(of: member, NPYHeader.longestText + 12)
    do {
      return try NPYHeader(start).shape.count == 2
    } catch  where error.code == .unsupported {
      // An array of labels or dates beside the embeddings is nobody's fault.
      return false
    }
  }

  private static func list(_ members: [ZIPArchive.Member]) -> String {
    guard !members.isEmpty else { return "no array" }
    let names = members.prefix(10).map { printable($0.name.dropLast(4)) }.joined(separator: ", ")
    return members.count > 10 ? "\(names) and \(members.count - 10) more" : names
  }
}

extension [UInt8] {
  fileprivate func ends(with ending: String) -> Bool {
    suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }
}
