/// Sums over the points of one frame: of its coordinates, and of their products with two columns.
struct CrossSums {
  var x = 0.0
  var y = 0.0
  /// Σ x·a, Σ x·b, Σ y·a, Σ y·b.
  var xx = 0.0
  var xy = 0.0
  var yx = 0.0
  var yy = 0.0
}

// Each sum runs in four lanes, element i in lane i mod 4, added as (0 + 1) + (2 + 3): a fixed order that the compiler
// can put into vector registers without changing a bit.

/// The inner product of `a` and `b`.
func dot(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, _ count: Int) -> Double {
  var (s0, s1, s2, s3) = (0.0, 0.0, 0.0, 0.0)
  var i = 0
  while i &+ 4 <= count {
    s0 += a[i] * b[i]
    s1 += a[i &+ 1] * b[i &+ 1]
    s2 += a[i &+ 2] * b[i &+ 2]
    s3 += a[i &+ 3] * b[i &+ 3]
    i &+= 4
  }
  while i < count {
    s0 += a[i] * b[i]
    i &+= 1
  }
  return (s0 + s1) + (s2 + s3)
}

/// The sum of `a`.
func sum(_ a: UnsafePointer<Double>, _ count: Int) -> Double {
  var (s0, s1, s2, s3) = (0.0, 0.0, 0.0, 0.0)
  var i = 0
  while i &+ 4 <= count {
    s0 += a[i]
    s1 += a[i &+ 1]
    s2 += a[i &+ 2]
    s3 += a[i &+ 3]
    i &+= 4
  }
  while i < count {
    s0 += a[i]
    i &+= 1
  }
  return (s0 + s1) + (s2 + s3)
}

func crossSums(
  _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, _ a: UnsafePointer<Double>,
  _ b: UnsafePointer<Double>,
  _ count: Int
) -> CrossSums {
  CrossSums(
    x: sum(x, count), y: sum(y, count), xx: dot(x, a, count), xy: dot(x, b, count), yx: dot(y, a, count),
    yy: dot(y, b, count))
}

/// result[i] += factor · a[i].
func addScaled(
  _ a: UnsafePointer<Double>, by factor: Double, to result: UnsafeMutablePointer<Double>, _ count: Int
) {
  for i in 0..<count { result[i] += factor * a[i] }
}
