import Foundation
import ReVerify
import TestSupport
import Testing

/// The README's example, as it stands there.
@Suite struct ReadmeTests {
  @Test func `the example in the README is the one that is compiled and run here`() async throws {
    let readme = try String(contentsOf: CommandRun.package.appending(path: "README.md"), encoding: .utf8)
    let block = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
    let text = try #require(block.components(separatedBy: "```").first)
    let source = try String(
      contentsOf: CommandRun.package.appending(path: "Tests/reverifyTests/ReadmeExample.swift"),
      encoding: .utf8)
    #expect(source.contains(text.trimmingCharacters(in: .newlines)))
    try await example()
  }
}
