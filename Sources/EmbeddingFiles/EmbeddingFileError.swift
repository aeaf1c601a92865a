/// Why a file could not be read or written: what, where, what was expected there and what was found.
///
/// Safe to log: it holds no component of an embedding, no subject and no other cell of a table; text from a
/// file (the names of archive members, the element type of an array) is cut short and made printable.
public struct EmbeddingFileError: Error, Hashable, Sendable {
  /// The kind of fault. Switch on this, never on text.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no file of this name.
    case notFound
    /// The system refused to open or read the file; `found` is its reason.
    case unreadable
    /// The system refused to create or write the file; `found` is its reason.
    case unwritable
    /// It is a folder, device or pipe where a file is wanted, or a file where a folder is.
    case wrongKind
    /// The file, or what it unpacks to, is larger than the machine's memory or than its format allows.
    case tooLarge
    /// Neither the content nor the name says which format it is.
    case unknownFormat
    /// The file ends before what it announces.
    case truncated
    /// The file breaks the rules of its format.
    case malformed
    /// The file is sound, but uses a part of its format that is not read here.
    case unsupported
    /// The file is sound and holds no row.
    case empty
    /// A number is finite and beyond the range of a 32-bit float.
    case outOfRange
    /// A file, archive member or column that is needed is not there.
    case missing
    /// Several files or archive members could be meant.
    case ambiguous
    /// The file disagrees with the one that it belongs to.
    case inconsistent
  }

  /// A place in a file.
  public enum Position: Hashable, Sendable {
    /// The number of bytes before it, in the file or, when there is one, in the unpacked archive member.
    case byte(Int)
    /// The line of text, from 1.
    case line(Int)
  }

  public let code: Code
  /// The file's path, as it was given.
  public let file: String
  /// The member of an archive, when the fault is inside one.
  public let member: String?
  /// Where the fault is; `nil` when it concerns the file as a whole.
  public let position: Position?
  /// What should have been there.
  public let expected: String
  /// What was there.
  public let found: String
}

extension EmbeddingFileError: CustomStringConvertible {
  /// The error in one line, for example `faces.npy, byte 0: expected …, found … (malformed)`.
  public var description: String {
    var place = printable(file.utf8, limit: 400)
    if let member { place += ", member \(printable(member.utf8))" }
    switch position {
    case .byte(let offset): place += ", byte \(offset)"
    case .line(let number): place += ", line \(number)"
    case nil: break
    }
    return "\(place): expected \(expected), found \(found) (\(code.rawValue))"
  }
}

/// What bytes belong to, as errors name it.
struct Origin: Sendable {
  let file: String
  var member: String?

  func error(
    _ code: EmbeddingFileError.Code, at position: EmbeddingFileError.Position? = nil, expected: String,
    found: String
  ) -> EmbeddingFileError {
    EmbeddingFileError(
      code: code, file: file, member: member, position: position, expected: expected, found: found)
  }
}

/// `text` with everything but printable ASCII written as `\xNN`, cut after `limit` bytes, so that a file can
/// neither flood a log nor forge a line of it.
func printable(_ text: some Collection<UInt8>, limit: Int = 60) -> String {
  var result = ""
  for byte in text.prefix(limit) {
    if (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") {
      result.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      result += byte < 16 ? "\\x0" : "\\x"
      result += String(byte, radix: 16)
    }
  }
  return text.count > limit ? result + "…" : result
}
