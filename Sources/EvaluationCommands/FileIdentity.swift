import Glibc

/// Which file a path leads to: that of its inode, or, where nothing is there yet, the place it would have.
struct FileIdentity: Hashable {
  private let key: String

  /// Nil for what is there and is no regular file, such as a device.
  init?(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      key = "\(status.st_dev):\(status.st_ino)"
    } else {
      let resolved = Self.resolved(path)
      key = "\(Self.folder(Self.parent(of: resolved)))/\(Self.lastComponent(resolved))"
    }
  }

  /// A folder by its inode, or, where it is not there yet, by that of the one it would be made in.
  private static func folder(_ path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 { return "\(status.st_dev):\(status.st_ino)" }
    let parent = parent(of: path)
    return parent == path ? path : "\(folder(parent))/\(lastComponent(path))"
  }

  /// The path that a link, or a chain of them, leads to, there or not; another path as it is.
  static func resolved(_ path: String) -> String {
    var path = path
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = buffer.withUnsafeMutableBytes {
        readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
      }
      guard count > 0 else { return path }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      path = target.hasPrefix("/") ? target : "\(parent(of: path))/\(target)"
    }
    return path
  }

  static func parent(of path: String) -> String {
    let parts = path.split(separator: "/").dropLast()
    if parts.isEmpty { return path.hasPrefix("/") ? "/" : "." }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }

  private static func lastComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
