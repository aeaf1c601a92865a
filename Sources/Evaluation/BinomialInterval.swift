#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An interval that holds the true rate with a stated confidence.
public struct ConfidenceInterval: Hashable, Sendable {
  /// Which sides are bounded. A one-sided bound leaves the other end at 0 or 1 and spends all doubt on its
  /// own.
  public enum Sides: String, Hashable, Sendable, Codable, CaseIterable {
    case two
    /// `high` is the bound, `low` is 0.
    case upper
    /// `low` is the bound, `high` is 1.
    case lower
  }

  /// How the interval was made.
  public enum Method: String, Hashable, Sendable, Codable {
    case clopperPearson
    case wilson
    /// The percentile interval of `SubjectBootstrap`.
    case subjectBootstrap
    /// Clopper–Pearson at the effective number of trials of `SubjectBootstrap`.
    case effectiveClopperPearson
  }

  /// The lower end, 0...1.
  public let low: Double
  /// The upper end, 0...1.
  public let high: Double
  /// Above 0 and below 1, for example 0.95.
  public let confidence: Double
  /// The sides that are bounded.
  public let sides: Sides
  /// The method that made it.
  public let method: Method

  /// Whether a rate lies in the interval, ends included.
  public func contains(_ rate: Double) -> Bool {
    low <= rate && rate <= high
  }
}

extension Proportion {
  /// The exact interval of Clopper & Pearson (1934): the true rate lies in it with at least the stated
  /// confidence.
  ///
  /// For independent trials; comparisons that share subjects need `SubjectBootstrap`. Bounds to a relative
  /// error of 1e-12. No error in 10,000 has the one-sided 95 % bound 3.0e-4. A confidence outside 0...1 (ends
  /// excluded) is a programming error and traps.
  public func clopperPearson(
    confidence: Double = 0.95, sides: ConfidenceInterval.Sides = .two
  ) -> ConfidenceInterval {
    let doubt = Self.doubtPerSide(confidence, sides)
    let (errors, trials) = (Double(count), Double(total))
    return ConfidenceInterval(
      low: sides == .upper ? 0 : BinomialBound.lower(errors, trials, doubt),
      high: sides == .lower ? 1 : BinomialBound.upper(errors, trials, doubt), confidence: confidence,
      sides: sides,
      method: .clopperPearson)
  }

  /// The score interval of Wilson (1927): about the stated confidence on average over rates, shorter than the
  /// exact one.
  ///
  /// For independent trials. Brown, Cai & DasGupta, "Interval estimation for a binomial proportion" (2001).
  public func wilson(confidence: Double = 0.95, sides: ConfidenceInterval.Sides = .two) -> ConfidenceInterval
  {
    let z = -normalQuantile(Self.doubtPerSide(confidence, sides))
    let n = Double(total)
    let centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    let reach = z / (1 + z * z / n) * (value * (1 - value) / n + z * z / (4 * n * n)).squareRoot()
    return ConfidenceInterval(
      low: sides == .upper || count == 0 ? 0 : max(centre - reach, 0),
      high: sides == .lower || count == total ? 1 : min(centre + reach, 1), confidence: confidence,
      sides: sides,
      method: .wilson)
  }

  private static func doubtPerSide(_ confidence: Double, _ sides: ConfidenceInterval.Sides) -> Double {
    precondition(confidence > 0 && confidence < 1, "a confidence lies above 0 and below 1")
    return sides == .two ? (1 - confidence) / 2 : 1 - confidence
  }
}

/// The bounds of Clopper & Pearson as functions of real numbers: errors 0...trials, and trials above 0.
enum BinomialBound {
  /// The rate at which `errors` or more have the probability `doubt`.
  static func lower(_ errors: Double, _ trials: Double, _ doubt: Double) -> Double {
    if errors <= 0 { return 0 }
    // The mirror image, so that a bound near 1 is as exact as one near 0.
    if errors > trials / 2 { return 1 - upper(trials - errors, trials, doubt) }
    return solve(errors, trials - errors + 1, doubt, tail: \.lower, rising: true)
  }

  /// The rate at which `errors` or fewer have the probability `doubt`.
  static func upper(_ errors: Double, _ trials: Double, _ doubt: Double) -> Double {
    if errors <= 0 { return -expm1(log(doubt) / trials) }
    if errors > trials / 2 { return 1 - lower(trials - errors, trials, doubt) }
    return solve(errors + 1, trials - errors, doubt, tail: \.upper, rising: false)
  }

  /// The x in 0...1 at which a tail of the beta distribution (a, b) is `probability`: Newton's method on the
  /// logarithm of the tail, kept inside a bracket that each step narrows.
  private static func solve(
    _ a: Double, _ b: Double, _ probability: Double, tail: ((lower: Double, upper: Double)) -> Double,
    rising: Bool
  ) -> Double {
    var (low, high) = (0.0, 1.0)
    var x = a / (a + b)
    for _ in 0..<200 {
      let value = tail(IncompleteBeta.tails(a, b, x: x, complement: 1 - x))
      if (value < probability) == rising { low = x } else { high = x }
      let slope = IncompleteBeta.density(a, b, x: x, complement: 1 - x) * (rising ? 1 : -1)
      var next = x - log(value / probability) * value / slope
      if !(next > low && next < high) {
        next = low > 0 ? (low * high).squareRoot() : high / 16
      }
      if abs(next - x) <= 1e-15 * x { return next }
      x = next
    }
    return x
  }
}
