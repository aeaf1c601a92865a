import Biometrics
import Foundation
import Testing

@testable import Evaluation

struct TailVector: Decodable {
  let a, b, x, lower, upper: Double
}

struct IntervalVector: Decodable {
  let count, total: Int
  let confidence: Double
  let sides: ConfidenceInterval.Sides
  let clopperPearson, wilson: [Double]
}

@Suite struct BinomialIntervalTests {
  @Test("both tails of the incomplete beta function are right to 1e-12 of themselves")
  func tails() throws {
    let vectors = try Vectors<TailVector>.load("incomplete-beta")
    #expect(vectors.count == 13)
    for vector in vectors {
      let found = IncompleteBeta.tails(vector.a, vector.b, x: vector.x, complement: 1 - vector.x)
      #expect(isRelativelyClose(found.lower, vector.lower, within: 1e-12), "a \(vector.a), b \(vector.b)")
      #expect(isRelativelyClose(found.upper, vector.upper, within: 1e-12), "a \(vector.a), b \(vector.b)")
    }
    #expect(IncompleteBeta.tails(3, 4, x: 0, complement: 1) == (0, 1))
    #expect(IncompleteBeta.tails(3, 4, x: 1, complement: 0) == (1, 0))
  }

  @Test(
    "so are those of numbers that are not whole",
    arguments: [
      (0.25, 8.75, 0.0078125, 0.55140282141263332, 0.44859717858736668),
      (2.5, 1.5, 0.75, 0.66666666666666667, 0.33333333333333333),
      (0.5, 0.5, 0.125, 0.23005345616261589, 0.76994654383738411),
    ])
  func realTails(a: Double, b: Double, x: Double, lower: Double, upper: Double) {
    let found = IncompleteBeta.tails(a, b, x: x, complement: 1 - x)
    #expect(
      isRelativelyClose(found.lower, lower, within: 1e-12)
        && isRelativelyClose(found.upper, upper, within: 1e-12))
  }

  @Test("Stirling's error joins its series and its recurrence, and is that of known factorials")
  func stirling() {
    for (n, factorial) in [(1.0, 1.0), (2, 2), (5, 120), (15, 1_307_674_368_000), (16, 20_922_789_888_000)] {
      let known = log(factorial) - ((n + 0.5) * log(n) - n + log(2 * Double.pi) / 2)
      #expect(isClose(IncompleteBeta.stirlingError(n), known, within: 2e-14))
    }
  }

  @Test("the deviance is right near its zero and away from it")
  func deviance() {
    #expect(IncompleteBeta.deviance(7, 7, difference: 0) == 0)
    #expect(isRelativelyClose(IncompleteBeta.deviance(1, 2, difference: -1), log(0.5) + 1, within: 1e-15))
    // x ln x + 1 − x at x = 1 + 2⁻²⁰ is d²/2 − d³/6 + d⁴/12.
    let d = 1.0 / 1_048_576
    #expect(
      isRelativelyClose(
        IncompleteBeta.deviance(1 + d, 1, difference: d), d * d / 2 - d * d * d / 6, within: 1e-12))
  }

  @Test("intervals agree with 40-digit arithmetic to 1e-12 of themselves")
  func vectors() throws {
    let vectors = try Vectors<IntervalVector>.load("binomial-intervals")
    #expect(vectors.count == 45)
    for vector in vectors {
      let rate = Proportion(vector.count, of: vector.total)
      for (found, expected) in [
        (rate.clopperPearson(confidence: vector.confidence, sides: vector.sides), vector.clopperPearson),
        (rate.wilson(confidence: vector.confidence, sides: vector.sides), vector.wilson),
      ] {
        #expect(
          isRelativelyClose(found.low, expected[0], within: 1e-12),
          "\(rate), \(vector.sides), \(found.method)")
        #expect(
          isRelativelyClose(found.high, expected[1], within: 1e-12),
          "\(rate), \(vector.sides), \(found.method)")
        #expect(found.sides == vector.sides && found.confidence == vector.confidence)
      }
    }
  }

  @Test("no error in 10,000 bounds the rate by 3.0e-4 at one-sided 95 %")
  func ruleOfThree() {
    let bound = Proportion(0, of: 10_000).clopperPearson(sides: .upper)
    #expect(bound.low == 0 && (bound.high * 1e5).rounded() == 30)
    #expect(isRelativelyClose(bound.high, 1 - pow(0.05, 1e-4), within: 1e-11))
  }

  @Test("normal quantiles invert the distribution function")
  func normal() {
    #expect(isClose(normalQuantile(0.975), 1.959963984540054, within: 1e-15))
    #expect(isClose(normalQuantile(0.95), 1.6448536269514722, within: 1e-15))
    #expect(normalQuantile(0.5) == 0 || abs(normalQuantile(0.5)) < 1e-16)
    for probability in [1e-300, 1e-20, 1e-9, 0.001, 0.3, 0.499999, 0.7, 0.999] {
      let z = normalQuantile(probability)
      #expect(isRelativelyClose(erfc(-z / 2.0.squareRoot()) / 2, probability, within: 1e-12))
    }
  }

  @Test("intervals hold the true rate in 95 ± 2 % of 1,000 sets", arguments: [0.5, 0.1, 0.02])
  func coverage(rate: Double) {
    var generator = SeededGenerator(seed: 2024)
    var covered = (exact: 0, wilson: 0)
    for _ in 0..<1000 {
      let errors = (0..<1000).count { _ in generator.nextUnit() <= rate }
      let observed = Proportion(errors, of: 1000)
      covered.exact += observed.clopperPearson().contains(rate) ? 1 : 0
      covered.wilson += observed.wilson().contains(rate) ? 1 : 0
    }
    #expect((930...970).contains(covered.exact), "Clopper–Pearson covered \(covered.exact)")
    #expect((930...970).contains(covered.wilson), "Wilson covered \(covered.wilson)")
  }

  @Test("the exact interval covers every rate at least as often as it says", arguments: [1, 7, 40])
  func neverBelow(trials: Int) {
    let intervals = (0...trials).map { Proportion($0, of: trials).clopperPearson(confidence: 0.9) }
    for step in 1..<50 {
      let rate = Double(step) / 50
      var (probability, covered) = (pow(1 - rate, Double(trials)), 0.0)
      for errors in 0...trials {
        if intervals[errors].contains(rate) { covered += probability }
        probability *= Double(trials - errors) / Double(errors + 1) * rate / (1 - rate)
      }
      #expect(covered >= 0.9 - 1e-12, "rate \(rate)")
    }
  }

  @Test("bounds rise with the errors and narrow with the trials")
  func monotone() {
    for errors in 0..<30 {
      let (fewer, more) = (Proportion(errors, of: 30), Proportion(errors + 1, of: 30))
      for interval in [Proportion.clopperPearson, Proportion.wilson] {
        let (a, b) = (interval(fewer)(0.95, .two), interval(more)(0.95, .two))
        #expect(a.low <= b.low && a.high <= b.high && a.contains(fewer.value))
        let tenfold = interval(Proportion(errors * 10, of: 300))(0.95, .two)
        #expect(tenfold.high - tenfold.low < a.high - a.low)
      }
    }
  }

  @Test("a confidence of certainty traps")
  func certainty() async {
    await #expect(processExitsWith: .failure) { _ = Proportion(1, of: 2).wilson(confidence: 1) }
    await #expect(processExitsWith: .failure) { _ = Proportion(1, of: 2).clopperPearson(confidence: 0) }
  }
}
