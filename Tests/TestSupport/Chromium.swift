import Foundation

/// Debian's Chromium without a window; tests that need it are skipped where it is not installed.
public enum Chromium {
  public static let path: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The document of a page as it stands after its scripts have run.
  public static func document(of page: String, width: Int = 1280, height: Int = 1000) throws -> String {
    try run(["--window-size=\(width),\(height)", "--dump-dom", "file://\(page)"], profile: page + ".profile")
      .output
  }

  /// Writes a picture of a page.
  public static func screenshot(of page: String, width: Int, height: Int, to path: String) throws {
    _ = try run(
      ["--window-size=\(width),\(height)", "--screenshot=\(path)", "file://\(page)"],
      profile: page + ".profile")
  }

  /// Writes a page as it would be printed.
  public static func print(_ page: String, to path: String) throws {
    _ = try run(
      ["--no-pdf-header-footer", "--print-to-pdf=\(path)", "file://\(page)"], profile: page + ".profile")
  }

  private static func run(_ arguments: [String], profile: String) throws -> CommandRun {
    try CommandRun(
      executable: URL(filePath: path!),
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--user-data-dir=\(profile)", "--virtual-time-budget=5000",
      ] + arguments)
  }
}
