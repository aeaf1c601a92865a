#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The regularised incomplete beta function, with both tails to a relative error below 1e-12 for a, b in
/// 0.25...1e10.
///
/// The continued fraction is that of DiDonato & Morris, "Algorithm 708" (1992), eq. 9, whose terms are
/// positive on the side of the mean where it is used; the better known DLMF 8.17.22 cancels there when b is
/// large. Lentz's method evaluates it (Thompson & Barnett 1986). The factor before it is a binomial
/// probability in the saddle-point form of Loader, "Fast and accurate computation of binomial probabilities"
/// (2000), as the usual difference of log-gammas loses six digits at a + b = 1e10.
enum IncompleteBeta {
  /// Iₓ(a, b) and 1 − Iₓ(a, b). `complement` is 1 − x, given apart because it may hold digits that x does
  /// not.
  ///
  /// a and b are above 0. O(√(a + b)) steps.
  static func tails(_ a: Double, _ b: Double, x: Double, complement y: Double) -> (
    lower: Double, upper: Double
  ) {
    if x <= 0 { return (0, 1) }
    if y <= 0 { return (1, 0) }
    let excess = excess(a, b, x, y)
    let factor = leadingFactor(a, b, x, y, excess)
    // The tail on x's side of the mean is the small one; the other is its mirror image.
    if excess >= 0 {
      let lower = factor / continuedFraction(a, b, x, y, excess)
      return (lower, 1 - lower)
    }
    let upper = factor / continuedFraction(b, a, y, x, -excess)
    return (1 - upper, upper)
  }

  /// The density of the beta distribution at x.
  static func density(_ a: Double, _ b: Double, x: Double, complement y: Double) -> Double {
    leadingFactor(a, b, x, y, excess(a, b, x, y)) / (x * y)
  }

  /// a − (a + b)x = (a + b)y − b, rounded once, from the smaller of x and y.
  private static func excess(_ a: Double, _ b: Double, _ x: Double, _ y: Double) -> Double {
    x <= y ? a.addingProduct(-(a + b), x) : (-b).addingProduct(a + b, y)
  }

  /// xᵃ yᵇ / B(a, b).
  private static func leadingFactor(
    _ a: Double, _ b: Double, _ x: Double, _ y: Double, _ excess: Double
  ) -> Double {
    let n = a + b
    let exponent =
      stirlingError(n) - stirlingError(a) - stirlingError(b)
      - deviance(a, n * x, difference: excess) - deviance(b, n * y, difference: -excess)
    return exp(exponent) * (a * b / (2 * Double.pi * n)).squareRoot()
  }

  /// ln Γ(n + 1) − ln(√(2πn) (n/e)ⁿ): what Stirling's formula lacks. n above 0.
  static func stirlingError(_ n: Double) -> Double {
    // The asymptotic series from 16 on (DLMF 5.11.1); below, the recurrence up to it.
    var (n, sum) = (n, 0.0)
    while n < 16 {
      sum += (n + 0.5) * log1p(1 / n) - 1
      n += 1
    }
    let s = 1 / (n * n)
    let series = 1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188))))
    return sum + series / n
  }

  /// x ln(x / mean) + mean − x, without cancellation near x = mean. `difference` is x − mean.
  static func deviance(_ x: Double, _ mean: Double, difference: Double) -> Double {
    guard abs(difference) < 0.1 * (x + mean) else { return x * log(x / mean) - difference }
    // With v = (x − mean) / (x + mean), ln(x / mean) = 2 artanh v = 2 (v + v³/3 + v⁵/5 + …).
    let v = difference / (x + mean)
    var (sum, term) = (difference * v, 2 * x * v)
    var odd = 1.0
    while true {
      term *= v * v
      odd += 2
      let next = sum + term / odd
      if next == sum { return sum }
      sum = next
    }
  }

  /// What divides xᵃ yᵇ / B(a, b) to give Iₓ(a, b). `excess` = a − (a + b)x is not negative.
  private static func continuedFraction(
    _ a: Double, _ b: Double, _ x: Double, _ y: Double, _ excess: Double
  ) -> Double {
    var fraction = a / (a + 1) * (excess + 1)
    var (c, d) = (fraction, 0.0)
    var n = 0.0
    while true {
      n += 1
      let odd = a + 2 * n - 1
      let numerator = (a + n - 1) / odd * ((a + b + n - 1) / odd) * n * (b - n) * x * x
      let denominator = n + n * (b - n) * x / odd + (a + n) / (odd + 2) * (excess + 1 + n * (1 + y))
      d = 1 / (denominator + numerator * d)
      c = denominator + numerator / c
      fraction *= c * d
      // A whole b ends the fraction at n = b, where the numerator is zero.
      if abs(c * d - 1) <= 4e-16 { return fraction }
    }
  }
}

/// The quantile of the standard normal distribution: the z with Φ(z) = `probability`, which lies above 0 and
/// below 1.
///
/// Newton's and Halley's steps on `erfc` from the rational start of Abramowitz & Stegun 26.2.23; a few units
/// in the last place.
func normalQuantile(_ probability: Double) -> Double {
  precondition(probability > 0 && probability < 1, "a quantile is of a probability above 0 and below 1")
  if probability > 0.5 { return -normalQuantile(1 - probability) }
  let t = (-2 * log(probability)).squareRoot()
  var z =
    (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
  for _ in 0..<3 {
    let error = erfc(-z / 2.0.squareRoot()) / 2 - probability
    let step = error * (2 * Double.pi).squareRoot() * exp(z * z / 2)
    z -= step / (1 + z * step / 2)
  }
  return z
}

/// The quantile of Student's distribution: the t that is exceeded with `probability`, above 0 and below 1/2, at
/// `degrees` of freedom, at least 1. To a relative error of 1e-9.
///
/// From the tail's incomplete beta function, DLMF 8.17; above 1e6 degrees by Cornish & Fisher's first term (1937).
func studentQuantile(_ probability: Double, _ degrees: Double) -> Double {
  precondition(probability > 0 && probability < 0.5 && degrees >= 1, "an upper tail of a proper distribution")
  let z = -normalQuantile(probability)
  if degrees > 1e6 { return z + (z * z * z + z) / (4 * degrees) }
  func tail(_ t: Double) -> Double {
    let sum = degrees + t * t
    return IncompleteBeta.tails(degrees / 2, 0.5, x: degrees / sum, complement: t * t / sum).lower / 2
  }
  // Tails are heavier than the normal one's.
  var (low, high) = (z, 2 * z)
  while tail(high) > probability { (low, high) = (high, 2 * high) }
  while high - low > 1e-10 * high {
    let middle = (low + high) / 2
    if tail(middle) > probability { low = middle } else { high = middle }
  }
  return (low + high) / 2
}
