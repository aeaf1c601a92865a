/// Files of embeddings, read into plain matrices.
public enum EmbeddingFile {
  /// The formats that are read.
  public enum Format: String, Sendable, CaseIterable {
    /// One array, as numpy writes it.
    case npy
    /// A zip archive of arrays, as numpy writes it.
    case npz
    /// Rows of floats, each after its dimension (the TEXMEX corpus).
    case fvecs
    /// A count, a dimension, rows of floats (the Big-ANN benchmarks).
    case fbin
    /// Text: one row a line, with or without a header.
    case csv
  }

  /// Reads the embeddings in the file at `path`.
  ///
  /// What the file begins with decides the format (`npy`, `npz`), else its extension, in upper or lower case.
  /// Of an archive, `member` is read (with or without `.npy`); by default the one named `embeddings`, else
  /// the only two-dimensional array of floats. 64-bit floats are rounded to the nearest 32-bit one; 16-bit
  /// ones are exact.
  ///
  /// Costs memory for the file, what a deflated member unpacks to, and four bytes a component. Throws where the
  /// file differs from its format in any way; a part of it is never read as the whole.
  public static func read(_ path: String, member: String? = nil) throws(EmbeddingFileError) -> EmbeddingMatrix
  {
    let source = try readFile(path)
    return try decode(source, as: try format(of: source), member: member)
  }

  /// The entry that is fuzzed: everything after the file has been read.
  static func decode(
    _ source: ByteSource, as format: Format, member: String? = nil
  ) throws(EmbeddingFileError) -> EmbeddingMatrix {
    if let member, format != .npz {
      throw source.origin.error(
        .missing, expected: "an .npz archive with a member \(printable(member.utf8))",
        found: "a file of the format \(format)")
    }
    switch format {
    case .npy: return try decodeNPY(source)
    case .npz: return try decodeNPZ(source, member: member)
    case .fvecs: return try decodeFvecs(source)
    case .fbin: return try decodeFbin(source)
    case .csv: return try decodeCSV(source)
    }
  }

  static func format(of source: ByteSource) throws(EmbeddingFileError) -> Format {
    if source.starts(with: NPYHeader.magic) { return .npy }
    if source.starts(with: ZIPArchive.firstBytes) { return .npz }
    let name = source.origin.file.split(separator: "/").last ?? ""
    if let dot = name.lastIndex(of: "."),
      let format = Format(rawValue: name[name.index(after: dot)...].lowercased())
    {
      return format
    }
    let extensions = Format.allCases.map { ".\($0)" }.joined(separator: ", ")
    throw source.origin.error(
      .unknownFormat, at: .byte(0),
      expected: "an array or archive of numpy, or one of the extensions \(extensions)",
      found: source.count == 0 ? "an empty file" : "another content and name")
  }
}
