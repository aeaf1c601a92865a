import CSodium
import FoundationEssentials
import Liveness

/// A file of captures or sequences that can't be taken: which one, where, and what was expected.
public struct DataFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Missing, or not to be read.
    case unreadable
    /// A line that isn't what the file is made of.
    case badLine
    /// A line without label or subject where they are needed.
    case missingTruth
    /// A label that is neither `bona_fide` nor a species that was named.
    case unknownSpecies
    /// A line of another landmarker than the first.
    case otherLandmarker
    /// Passive scores or embeddings of another model than the lines before, or of one that isn't named.
    case otherSource
  }

  public let code: Code
  public let path: String
  /// From 1, blank lines counted; `nil` when it is about the whole file.
  public let line: Int?
  public let reason: String

  public init(_ code: Code, path: String, line: Int? = nil, _ reason: String) {
    self.code = code
    self.path = path
    self.line = line
    self.reason = reason
  }

  public var description: String { "\(path)\(line.map { ", line \($0)" } ?? ""): \(reason)" }
}

/// The lines of a file that are not blank.
struct DataLines: Sendable {
  let path: String
  /// SHA-256 of the file, in hexadecimal.
  let digest: String
  /// With their numbers in the file, from 1.
  let lines: [(number: Int, bytes: ArraySlice<UInt8>)]

  init(_ path: String) throws(DataFileError) {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw DataFileError(.unreadable, path: path, "expected a file that can be read")
    }
    let bytes = [UInt8](data)
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    self.path = path
    digest = encodeHexadecimal(hash)
    let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    lines = all.enumerated().compactMap { offset, line in
      let isBlank = line.allSatisfy { [0x20, 0x09, 0x0d].contains($0) }
      return isBlank ? nil : (offset + 1, line)
    }
  }
}
