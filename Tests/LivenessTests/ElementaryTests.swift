import Biometrics
import Glibc
import Liveness
import Testing

@Suite("Elementary functions")
struct ElementaryTests {
  /// In units of the last place of the expected number.
  private func error(_ found: Double, _ expected: Double) -> Double {
    found == expected ? 0 : (found - expected).magnitude / expected.ulp
  }

  @Test("logarithm and exponential are within a few units in the last place of libm's")
  func logarithmAndExponential() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let x = Double(bitPattern: generator.next() & 0x7fef_ffff_ffff_ffff)
      #expect(error(Elementary.log(x), log(x)) <= 3, "log \(x)")
      let y = Double.random(in: -700...700, using: &generator)
      #expect(error(Elementary.exp(y), exp(y)) <= 4, "exp \(y)")
      let near = Double.random(in: 0.9...1.1, using: &generator)
      #expect((Elementary.log(near) - log(near)).magnitude <= 1e-15, "log \(near)")
    }
    #expect(Elementary.log(1) == 0)
    #expect(Elementary.exp(0) == 1)
    #expect(Elementary.log(0) == -.infinity)
    #expect(Elementary.log(-1).isNaN)
    #expect(Elementary.log(.infinity) == .infinity)
    #expect(Elementary.exp(-1000) == 0)
    #expect(Elementary.exp(1000) == .infinity)
    #expect(Elementary.exp(.nan).isNaN)
  }

  @Test("sine, cosine and inverse hyperbolic sine agree with libm's")
  func others() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let angle = Double.random(in: -1000...1000, using: &generator)
      let (sine, cosine) = Elementary.sineCosine(angle)
      #expect((sine - sin(angle)).magnitude <= 1e-15, "sin \(angle)")
      #expect((cosine - cos(angle)).magnitude <= 1e-15, "cos \(angle)")
      let x = Double.random(in: -1e6...1e6, using: &generator)
      #expect((Elementary.asinh(x) - asinh(x)).magnitude <= 4e-15 * asinh(x).magnitude, "asinh \(x)")
    }
    #expect(Elementary.logistic(0) == 0.5)
    #expect(Elementary.logistic(-800) == 0)
    #expect(Elementary.logistic(800) == 1)
  }

  @Test("quantiles and medians of worked sets")
  func quantiles() {
    #expect([3.0, 1, 2].median == 2)
    #expect([4.0, 1, 2, 3].median == 2.5)
    #expect([1.0, 2, 3, 4, 5].quantile(0.25) == 2)
    #expect([0.0, 10].quantile(0.9) == 9)
    #expect([7.0].quantile(0.1) == 7)
    #expect([Double]().median.isNaN)
    #expect([Double]().quantile(0.5).isNaN)
  }

  @Test("the median is that of the sorted numbers, with ties, in any order")
  func medians() {
    var generator = SeededGenerator(seed: 3)
    for count in 1...70 {
      for distinct in [1, 2, 5, 1000] {
        let values = (0..<count).map { _ in Double(Int.random(in: 0..<distinct, using: &generator)) }
        #expect(values.median == values.quantile(0.5), "\(values)")
        #expect(values.sorted(by: >).median == values.median)
      }
    }
  }
}
