import Foundation

/// A run of the `reverify` command that lies beside the tests.
public struct CommandRun: Sendable {
  public let status: Int32
  public let output: String
  public let errors: String

  /// Lines of the output, without the last empty one.
  public var lines: [Substring] { output.split(separator: "\n") }

  /// Runs the command with `arguments` in the package's folder; `environment` is added to the process's own.
  public init(_ arguments: [String], environment: [String: String] = [:]) throws {
    try self.init(Self.products.appending(path: "reverify"), arguments, environment)
  }

  /// Runs a line of shell, in which `$0` is the command.
  public init(shell line: String) throws {
    try self.init(
      URL(filePath: "/bin/sh"), ["-c", line, Self.products.appending(path: "reverify").path], [:])
  }

  /// Runs another program.
  public init(executable: URL, _ arguments: [String]) throws {
    try self.init(executable, arguments, [:])
  }

  private init(_ executable: URL, _ arguments: [String], _ environment: [String: String]) throws {
    let process = Process()
    process.executableURL = executable
    process.currentDirectoryURL = Self.package
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // Both are read to their ends at once, so that neither fills up while the other is waited for.
    nonisolated(unsafe) var errorData = Data()  // Read after the group has ended only.
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      errorData = errors.fileHandleForReading.readDataToEndOfFile()
    }
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    group.wait()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = String(decoding: outputData, as: UTF8.self)
    self.errors = String(decoding: errorData, as: UTF8.self)
  }

  /// The folder of the package.
  public static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  /// An executable of the package, as it was built with the tests.
  public static func product(_ name: String) -> URL { products.appending(path: name) }

  /// Where the test runner and the command were built.
  private static let products: URL = {
    let runner = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let isThere = FileManager.default.isExecutableFile(atPath: runner.appending(path: "reverify").path)
    return isThere ? runner : package.appending(path: ".build/debug")
  }()
}

/// A folder that goes when its owner does.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "reverify-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file into the folder and returns its path.
  public func write(_ name: String, _ content: some Sequence<UInt8>) throws -> String {
    try Data(content).write(to: URL(filePath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}
