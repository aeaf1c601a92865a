import Biometrics
import Testing

@testable import Evaluation

@Suite struct TargetRateTests {
  @Test(
    "decimals are read as exact fractions",
    arguments: [
      ("1e-4", 1, 10_000), ("0.001", 1, 1000), ("0.0010", 1, 1000), ("2.5E-3", 1, 400), (".5", 1, 2),
      ("0.3", 3, 10),
      ("100e-5", 1, 1000), ("1e-18", 1, 1_000_000_000_000_000_000),
    ])
  func decimals(text: String, numerator: Int, denominator: Int) throws {
    let rate = try #require(TargetRate(text))
    #expect(rate.numerator == numerator && rate.denominator == denominator)
  }

  @Test(
    "what is no rate above 0 and below 1 is refused",
    arguments: [
      "", "0", "1", "1.5", "-0.1", "+0.1", "nan", "inf", "1e", "e-3", "1e-3e", "1e-19", "0.1.2", "1e3",
      "0e-3", "1 e-3", "٣e-1",
      "0.0", "1e-99999999999999999999",
    ])
  func refused(text: String) {
    #expect(TargetRate(text) == nil)
  }

  @Test("a number is the rate that it prints as")
  func numbers() {
    #expect(TargetRate(1e-4) == TargetRate(1, in: 10_000))
    #expect(TargetRate(0.1 + 0.2) == TargetRate("0.30000000000000004"))
    #expect(TargetRate(Double.nan) == nil && TargetRate(1.0) == nil && TargetRate(0.0) == nil)
    #expect(TargetRate(3, in: 2) == nil && TargetRate(0, in: 2) == nil && TargetRate(-1, in: 2) == nil)
  }

  @Test("rates are told apart, ordered, and printed as powers of ten where they are")
  func order() {
    #expect(TargetRate.of("1e-4") < .of("0.001"))
    #expect(TargetRate.of("1e-4").description == "1e-4" && TargetRate.of("0.003").description == "3/1000")
    #expect(TargetRate.of("1e-4").value == 1e-4)
  }

  @Test("the errors allowed are the floor of the exact product")
  func allowed() {
    // In doubles 0.29 · 100 is 28.999999999999996.
    #expect(TargetRate.of("0.29").allowedErrors(of: 100) == 29)
    #expect(TargetRate.of("1e-3").allowedErrors(of: 999) == 0)
    #expect(TargetRate.of("1e-3").allowedErrors(of: 1000) == 1)
    #expect(TargetRate.of("0.3").allowedErrors(of: 5_000_000_000_000_000_000) == 1_500_000_000_000_000_000)
    #expect(TargetRate.of("1e-3").trialsForOneError == 1000)
    #expect(TargetRate.of("0.3").trialsForOneError == 4)
  }

  @Test("a target that allows not one error is not reachable with the data")
  func unreachable() throws {
    let scores = ScoreSet(mated: [0.9], nonMated: (0..<999).map { Double($0) / 1000 })
    #expect(try scores.errorRates(atFalseMatchRate: .of("1e-3")) == .notReachable(trials: 999, needed: 1000))
    #expect(try scores.errorRates(atFalseMatchRate: .of("1e-2")).point != nil)
  }

  @Test("the k-rule takes the next double above the score that must not match")
  func kRule() throws {
    // Of ten, two may match; the third highest is 0.7, and so are the fourth and fifth.
    let scores = ScoreSet(
      mated: [0.6, 0.7, 0.7, 0.8], nonMated: [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.7, 0.7, 0.8, 0.9])
    let point = try #require(try scores.errorRates(atFalseMatchRate: .of("0.2")).point)
    #expect(point.allowedFalseMatches == 2 && point.thresholdAbove == 0.7)
    #expect(point.rates.threshold == 0.7.nextUp)
    #expect(point.rates.falseMatchRate == Proportion(2, of: 10))
    #expect(point.rates.falseNonMatchRate == Proportion(3, of: 4))
    // With 0.4 four may match, but the three at 0.7 leave together.
    let tied = try #require(try scores.errorRates(atFalseMatchRate: .of("0.4")).point)
    #expect(tied.allowedFalseMatches == 4 && tied.rates.falseMatchRate == Proportion(2, of: 10))
  }

  @Test("the FMR reached is never above the target, and the next lower threshold's is", arguments: 0..<40)
  func neverAbove(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let scores = ScoreSet(
      mated: generator.scores(30, mean: 2, step: 0.01),
      nonMated: generator.scores(20 + generator.next(below: 400), mean: 0, step: [1e-6, 0.05, 0.5][seed % 3]))
    for text in ["0.5", "0.1", "0.03", "1e-2"] {
      let target = TargetRate.of(text)
      guard let point = try scores.errorRates(atFalseMatchRate: target).point else {
        #expect(target.allowedErrors(of: scores.nonMated.count) == 0)
        continue
      }
      let allowed = target.allowedErrors(of: scores.nonMated.count)
      #expect(point.rates.falseMatchRate.count <= allowed)
      #expect(try scores.falseMatchRate(at: point.thresholdAbove).count > allowed)
      #expect(point.rates == (try scores.errorRates(at: point.rates.threshold)))
    }
  }

  @Test("the single-precision threshold decides single-precision scores alike")
  func singlePrecision() throws {
    let nonMated: [Float] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    let scores = ScoreSet(mated: [Float(0.9).nextUp], nonMated: nonMated)
    let point = try #require(try scores.errorRates(atFalseMatchRate: .of("0.1")).point)
    #expect(point.singlePrecisionThreshold == Float(0.9).nextUp)
    for score in nonMated + [Float(0.9).nextUp, Float(0.9).nextDown] {
      #expect((score >= point.singlePrecisionThreshold) == (Double(score) >= point.rates.threshold))
    }
  }
}
