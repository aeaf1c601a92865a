import Biometrics
import Testing

@testable import EmbeddingFiles

@Suite("Decimal numbers")
struct DecimalNumberTests {
  @Test("numbers of many lengths and sizes round to the nearest float, as Swift's own conversion does")
  func randomNumbers() {
    let seed = fuzzSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      var text = ["", "-", "+"].randomElement(using: &random)!
      text += digits(0...22, &random)
      if Bool.random(using: &random) {
        text += "." + digits(1...22, &random)
      } else {
        text += digits(1...1, &random)
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -50...42, using: &random))" }
      expectNearest(text, seed)
    }
  }

  @Test("numbers next to the middle between two floats round to the nearest")
  func nearTies() {
    let seed = fuzzSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let float = Float(bitPattern: UInt32.random(in: 0x2000_0000...0x5000_0000, using: &random))
      let middle = (Double(float) + Double(float.nextUp)) / 2
      for neighbour in [middle.nextDown, middle, middle.nextUp] {
        expectNearest("\(neighbour)", seed)
        expectNearest("\(neighbour)".replacing("e", with: "0000000000000000001e"), seed)
      }
    }
  }

  @Test(
    "numbers at the edges of the range",
    arguments: [
      "0", "-0", "0e99999999999999999999", "-0.000e-5", "3.4028235e38",
      "340282346638528859811704183484516925440",
      "3.40282356779733623e38", "1.17549435e-38", "1.1754942e-38", "1.4e-45", "7.1e-46", "7e-46",
      "1e-9999999", ".5", "5.",
      "00000000000000000000000000000000000000000000000000001",
      "0.00000000000000000000000000000000000000000000001",
      "16777217", "16777219", "9007199791611905", "1.00000005960464477539", "1.000000059604644775390625",
    ])
  func edges(text: String) {
    expectNearest(text, 0)
  }

  @Test("a finite number beyond the range is told from an infinity")
  func tooLarge() {
    for text in [
      "3.4028235678e38", "1e39", "-1e39", "1e400", "9e99999999999999999999",
      String(repeating: "9", count: 99),
    ] {
      #expect(DecimalNumber(Array(text.utf8).span) == .tooLarge, "\(text)")
    }
    #expect(DecimalNumber(Array("inf".utf8).span) == .number(.infinity))
    #expect(DecimalNumber(Array("-Infinity".utf8).span) == .number(-.infinity))
  }

  @Test(
    "text is no number",
    arguments: [
      "x", "1x", "1 2", "1,5", "0x1p3", "0x10", "1e", "1e+", "e5", "--1", "+-1", "+", "-", ".", "-.", "1.2.3",
      "1_000", "٣",
      "nan(1)", "infinit", "in", "1e5.5", "1e5 e", "\u{0}", "1\u{0}", "infinitys", "  -  ",
    ])
  func text(text: String) {
    #expect(DecimalNumber(Array(text.utf8).span) == .text)
  }

  @Test("spaces alone are nothing", arguments: ["", " ", "\t  "])
  func nothing(text: String) {
    #expect(DecimalNumber(Array(text.utf8).span) == .nothing)
  }

  private func digits(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: count, using: &random)).map { _ in "0123456789".randomElement(using: &random)! })
  }

  private func expectNearest(_ text: String, _ seed: UInt64, _ location: SourceLocation = #_sourceLocation) {
    guard let reference = Float(text) else {
      Issue.record("'\(text)' is no number (seed \(seed))", sourceLocation: location)
      return
    }
    let expected = reference.isInfinite ? DecimalNumber.tooLarge : .number(reference)
    let found = DecimalNumber(Array(text.utf8).span)
    guard found != expected || reference == 0 && "\(found)" != "\(expected)" else { return }
    Issue.record("'\(text)' became \(found) instead of \(expected) (seed \(seed))", sourceLocation: location)
  }
}
