/// Logarithm, exponential, sine and cosine made of additions, multiplications, divisions and square roots alone.
///
/// IEEE 754 fixes every bit of those, and nothing of libm's functions, whose last bits differ between systems. So a
/// decision made with these is the same on every machine. Errors stay below 2 units in the last place of the result
/// (sine and cosine: 1e-15 absolute, for arguments up to a million).
public enum Elementary {
  private static let ln2High = 0x1.62e42fefa38p-1
  private static let ln2Low = 0x1.ef35793c7673p-45
  private static let ln10 = 0x1.26bb1bbb55516p+1

  /// The natural logarithm of `x`; of zero −∞, of a negative number or NaN NaN.
  public static func log(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return x == 0 ? -.infinity : (x > 0 ? x : .nan) }
    var exponent = Double(x.exponent)
    var m = x.significand
    if m > 0x1.6a09e667f3bcdp+0 {
      m *= 0.5
      exponent += 1
    }
    // log m = 2 artanh s, |s| <= 0.172: the series' fourteenth term is below 2^-60 of the first.
    let s = (m - 1) / (m + 1)
    let s2 = s * s
    var tail = 0.0
    var odd = 27.0
    while odd >= 3 {
      tail = (tail + 1 / odd) * s2
      odd -= 2
    }
    return exponent * ln2High + (2 * s + (2 * s * tail + exponent * ln2Low))
  }

  /// The logarithm to base 10.
  public static func log10(_ x: Double) -> Double { log(x) / ln10 }

  /// e to the power of `x`; infinity above 709.7, 0 below −745.
  public static func exp(_ x: Double) -> Double {
    guard x < 709.7 else { return x.isNaN ? .nan : .infinity }
    guard x > -745 else { return 0 }
    let k = (x / (ln2High + ln2Low)).rounded()
    let r = (x - k * ln2High) - k * ln2Low
    // |r| <= 0.347: the seventeenth term is below 2^-70.
    var sum = 1.0
    var n = 16.0
    while n >= 1 {
      sum = 1 + sum * r / n
      n -= 1
    }
    // In two steps, so that a subnormal result is scaled once from a normal one.
    let half = Int(k) / 2
    return sum * Double(sign: .plus, exponent: half, significand: 1)
      * Double(sign: .plus, exponent: Int(k) - half, significand: 1)
  }

  /// The inverse hyperbolic sine, odd and increasing; relative error 1e-15 + 1e-16 / |x|.
  public static func asinh(_ x: Double) -> Double {
    let magnitude = log(x.magnitude + (x * x + 1).squareRoot())
    return x < 0 ? -magnitude : magnitude
  }

  /// The logistic function 1 / (1 + e^−x), 0...1, increasing.
  public static func logistic(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

  /// Sine and cosine of `angle` in radians.
  public static func sineCosine(_ angle: Double) -> (sine: Double, cosine: Double) {
    let quarter = (angle * 0x1.45f306dc9c883p-1).rounded()
    let r = (angle - quarter * 0x1.921fb544p+0) - quarter * 0x1.0b4611a626331p-34
    let r2 = r * r
    var (sine, cosine) = (1.0, 1.0)
    var n = 20.0
    while n >= 2 {
      sine = 1 - sine * r2 / (n * (n + 1))
      cosine = 1 - cosine * r2 / ((n - 1) * n)
      n -= 2
    }
    sine *= r
    switch Int(quarter) & 3 {
    case 0: return (sine, cosine)
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    default: return (-cosine, sine)
    }
  }

  /// The tangent of half a field of view, from which the focal length follows.
  public static func tangent(_ angle: Double) -> Double {
    let (sine, cosine) = sineCosine(angle)
    return sine / cosine
  }
}
