import Biometrics
import Foundation
import Testing

@testable import Evaluation

/// Known answers of `Tests/Vectors/Evaluation`, each file an object with its cases.
struct Vectors<Case: Decodable>: Decodable {
  let cases: [Case]

  static func load(_ name: String) throws -> [Case] {
    let file = packageRoot.appending(path: "Tests/Vectors/Evaluation/\(name).json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(Self.self, from: Data(contentsOf: file)).cases
  }
}

let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Whether two numbers differ by at most `tolerance`, relative to the expected one or to 1, whichever is larger.
func isClose(_ found: Double, _ expected: Double, within tolerance: Double = 1e-9) -> Bool {
  found == expected || abs(found - expected) <= tolerance * max(1, abs(expected))
}

/// Whether two numbers differ by at most `tolerance` times the expected one.
func isRelativelyClose(_ found: Double, _ expected: Double, within tolerance: Double) -> Bool {
  found == expected || abs(found - expected) <= tolerance * abs(expected)
}

extension TargetRate {
  /// A target of a test; one that is none fails the test by trapping.
  static func of(_ text: String) -> TargetRate { TargetRate(text)! }
}

extension SeededGenerator {
  /// A number above 0 and at most 1, evenly spread.
  mutating func nextUnit() -> Double { (Double(next() >> 11) + 1) / 9_007_199_254_740_992 }

  /// A number of the standard normal distribution (Box & Muller 1958).
  mutating func nextNormal() -> Double {
    (-2 * log(nextUnit())).squareRoot() * cos(2 * Double.pi * nextUnit())
  }

  /// `count` normal scores about `mean`, rounded to multiples of `step` so that some are equal.
  mutating func scores(_ count: Int, mean: Double, step: Double) -> [Double] {
    (0..<count).map { _ in ((mean + nextNormal()) / step).rounded() * step }
  }
}
