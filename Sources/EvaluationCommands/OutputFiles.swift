import Foundation
import Glibc

/// An output that can't be written. Exit status 74.
package struct OutputError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The files that a command writes: named and checked before its work, and put in their places together, when all of them are
/// whole. What goes wrong before leaves every place as it was.
package struct OutputFiles {
  private var announced: [(option: String, path: String)] = []
  private var staged: [StagedFile] = []

  package init() {}

  /// Names a file that an option asks for. Throws an `OutputError` where it could not be written, so that a long command
  /// says so before its work.
  package mutating func announce(_ option: String, at path: String?) throws {
    guard let path else { return }
    try Self.requireWritable(path)
    announced.append((option, path))
  }

  /// Names the files of a folder, which is made; a file is then announced under the option's name.
  package mutating func announce(_ option: String, _ names: [String], in folder: String?) {
    guard let folder else { return }
    announced += names.map { (option, "\(folder)/\($0)") }
  }

  /// Throws a `UsageError` where an output would overwrite an input or another output: the same file by path, link or
  /// inode. Devices and pipes, which hold nothing to overwrite, may be named twice.
  package func requireDistinct(from inputs: [String]) throws(UsageError) {
    var taken: [FileIdentity: String] = [:]
    for input in inputs {
      if let identity = FileIdentity(input) { taken[identity] = "the input \(input)" }
    }
    for (option, path) in announced {
      guard let identity = FileIdentity(path) else { continue }
      if let other = taken.updateValue("--\(option) \(path)", forKey: identity) {
        throw UsageError("--\(option) \(path) would overwrite \(other)")
      }
    }
  }

  /// Writes a file beside its place. Throws an `OutputError`, and takes back all that was staged.
  package mutating func stage(_ content: Data, at path: String) throws {
    do {
      staged.append(try StagedFile(at: path) { try $0(content) })
    } catch {
      discard()
      throw error
    }
  }

  /// Puts the files in their places: devices and pipes first, whose writing can fail where a rename hardly can. Throws an
  /// `OutputError` for the first that can't be; those after it are taken back.
  package mutating func commit() throws {
    staged = staged.filter { !$0.isBeside } + staged.filter(\.isBeside)
    while !staged.isEmpty {
      do {
        try staged.removeFirst().place()
      } catch {
        discard()
        throw error
      }
    }
  }

  private mutating func discard() {
    for file in staged { file.discard() }
    staged = []
  }

  private static func requireWritable(_ path: String) throws(OutputError) {
    var status = stat()
    guard !path.hasSuffix("/") else { throw OutputError("\(path): expected the name of a file") }
    // A link that leads nowhere yet is written where it leads.
    let place = FileIdentity.resolved(path)
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR, access(path, W_OK) == 0 else {
        throw OutputError("\(path): can't be written")
      }
      return
    }
    let parent = FileIdentity.parent(of: place)
    guard stat(parent, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(parent, W_OK) == 0 else {
      throw OutputError("\(path): expected a folder that can be written in")
    }
  }
}

/// Writes a file whole: beside its place, and put there when it is. Throws an `OutputError`.
package func writeFile(_ content: Data, to path: String) throws {
  try writeFile(to: path) { try $0(content) }
}

/// The same, piece by piece as `content` hands them out. Throws what it throws, or an `OutputError`; then the place is as it was,
/// but for a device or a pipe.
package func writeFile(
  to path: String, _ content: @escaping ((Data) throws -> Void) throws -> Void
) throws {
  try StagedFile(at: path, content).place()
}

/// A file written beside its place. A link stays one, and the file it leads to is replaced; a device or a pipe is written in
/// place at the end.
private struct StagedFile {
  private let named: String
  private let target: String
  private let beside: String?
  private let content: ((Data) throws -> Void) throws -> Void

  init(at path: String, _ content: @escaping ((Data) throws -> Void) throws -> Void) throws {
    named = path
    self.content = content
    var status = stat()
    let exists = stat(path, &status) == 0
    // Standard output and its like, by their names, are written to as they are, also where they lead to a file.
    let isStream = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    if isStream || exists && status.st_mode & S_IFMT != S_IFREG {
      target = path
      beside = nil
      return
    }
    target = FileIdentity.resolved(path)
    let temporary = "\(target).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).new"
    beside = temporary
    do {
      try write(to: open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)) { descriptor in
        (!exists || fchmod(descriptor, status.st_mode & 0o7777) == 0) && fsync(descriptor) == 0
      }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Whether it is whole and waits for a rename.
  var isBeside: Bool { beside != nil }

  func place() throws {
    if let beside {
      guard rename(beside, target) == 0 else {
        let error = failure
        unlink(beside)
        throw error
      }
      return
    }
    try write(to: open(target, O_WRONLY | O_CLOEXEC)) { _ in true }
  }

  func discard() {
    if let beside { unlink(beside) }
  }

  /// Writes the content, lets `finish` do what comes before closing, and closes.
  private func write(to descriptor: Int32, finish: (Int32) -> Bool) throws {
    guard descriptor >= 0 else { throw failure }
    do {
      try content { piece in
        guard piece.withUnsafeBytes({ put($0, to: descriptor) }) else { throw failure }
      }
      guard finish(descriptor) else { throw failure }
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw failure }
  }

  /// By `errno`.
  private var failure: OutputError {
    OutputError("\(named): can't be written: \(String(cString: strerror(errno)))")
  }
}
