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

// Each sum runs in lanes, element i in lane i mod 8 (or 4), and halves are added to halves in the end; what is left over
// is summed in order. The order is fixed, so the bits are the same whatever vector registers there are.

@inline(__always)
private func eight(_ a: UnsafePointer<Double>) -> SIMD8<Double> {
  UnsafeRawPointer(a).loadUnaligned(as: SIMD8<Double>.self)
}

@inline(__always)
private func four(_ a: UnsafePointer<Double>) -> SIMD4<Double> {
  UnsafeRawPointer(a).loadUnaligned(as: SIMD4<Double>.self)
}

@inline(__always)
private func total(_ lanes: SIMD4<Double>) -> Double {
  let halves = lanes.lowHalf + lanes.highHalf
  return halves.x + halves.y
}

/// The inner product of `a` and `b`.
func dot(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, _ count: Int) -> Double {
  var lanes = SIMD8<Double>.zero
  var (i, rest) = (0, 0.0)
  while i &+ 8 <= count {
    lanes += eight(a + i) * eight(b + i)
    i &+= 8
  }
  while i < count {
    rest += a[i] * b[i]
    i &+= 1
  }
  return total(lanes.lowHalf + lanes.highHalf) + rest
}

/// The sum of `a`.
func sum(_ a: UnsafePointer<Double>, _ count: Int) -> Double {
  var lanes = SIMD8<Double>.zero
  var (i, rest) = (0, 0.0)
  while i &+ 8 <= count {
    lanes += eight(a + i)
    i &+= 8
  }
  while i < count {
    rest += a[i]
    i &+= 1
  }
  return total(lanes.lowHalf + lanes.highHalf) + rest
}

/// The sums of `x` and `y`, and their inner products with `a` and `b`.
func crossSums(
  _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, _ a: UnsafePointer<Double>,
  _ b: UnsafePointer<Double>,
  _ count: Int
) -> CrossSums {
  var (sx, sy) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
  var (xa, xb, ya, yb) = (sx, sx, sx, sx)
  var i = 0
  while i &+ 4 <= count {
    let (x, y, a, b) = (four(x + i), four(y + i), four(a + i), four(b + i))
    sx += x
    sy += y
    xa += x * a
    xb += x * b
    ya += y * a
    yb += y * b
    i &+= 4
  }
  var sums = CrossSums(
    x: total(sx), y: total(sy), xx: total(xa), xy: total(xb), yx: total(ya), yy: total(yb))
  while i < count {
    sums.x += x[i]
    sums.y += y[i]
    sums.xx += x[i] * a[i]
    sums.xy += x[i] * b[i]
    sums.yx += y[i] * a[i]
    sums.yy += y[i] * b[i]
    i &+= 1
  }
  return sums
}

/// result[i] += factor · a[i].
func addScaled(
  _ a: UnsafePointer<Double>, by factor: Double, to result: UnsafeMutablePointer<Double>, _ count: Int
) {
  var i = 0
  while i &+ 8 <= count {
    let sum = eight(UnsafePointer(result) + i) + factor * eight(a + i)
    UnsafeMutableRawPointer(result + i).storeBytes(of: sum, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    result[i] += factor * a[i]
    i &+= 1
  }
}

/// first[i] += factor · a[i], and second[i] likewise.
func addScaled(
  _ a: UnsafePointer<Double>, by factor: Double, to first: UnsafeMutablePointer<Double>, and other: Double,
  to second: UnsafeMutablePointer<Double>, _ count: Int
) {
  var i = 0
  while i &+ 8 <= count {
    let values = eight(a + i)
    let (one, two) = (eight(UnsafePointer(first) + i), eight(UnsafePointer(second) + i))
    UnsafeMutableRawPointer(first + i).storeBytes(of: one + factor * values, as: SIMD8<Double>.self)
    UnsafeMutableRawPointer(second + i).storeBytes(of: two + other * values, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    first[i] += factor * a[i]
    second[i] += other * a[i]
    i &+= 1
  }
}

/// result[i] = a[i] − b[i]; `result` may be `b`.
func subtract(
  _ b: UnsafePointer<Double>, from a: UnsafePointer<Double>, into result: UnsafeMutablePointer<Double>,
  _ count: Int
) {
  var i = 0
  while i &+ 8 <= count {
    let difference = eight(a + i) - eight(b + i)
    UnsafeMutableRawPointer(result + i).storeBytes(of: difference, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    result[i] = a[i] - b[i]
    i &+= 1
  }
}

/// result[i] = a[i] · b[i].
func multiply(
  _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, into result: UnsafeMutablePointer<Double>,
  _ count: Int
) {
  var i = 0
  while i &+ 8 <= count {
    UnsafeMutableRawPointer(result + i).storeBytes(of: eight(a + i) * eight(b + i), as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    result[i] = a[i] * b[i]
    i &+= 1
  }
}

/// result[i] = a[i] − constant − factor.x · x[i] − factor.y · y[i].
func subtract(
  _ constant: Double, _ factor: SIMD2<Double>, of x: UnsafePointer<Double>, _ y: UnsafePointer<Double>,
  from a: UnsafePointer<Double>, into result: UnsafeMutablePointer<Double>, _ count: Int
) {
  let constants = SIMD8(repeating: constant)
  var i = 0
  while i &+ 8 <= count {
    let value = eight(a + i) - constants - factor.x * eight(x + i) - factor.y * eight(y + i)
    UnsafeMutableRawPointer(result + i).storeBytes(of: value, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    result[i] = a[i] - constant - factor.x * x[i] - factor.y * y[i]
    i &+= 1
  }
}

/// (sumX, sumY)[i] += (x[i], y[i]) less `centre`, times the rotation and scale of columns (turn.x, −turn.y), (turn.y, turn.x).
func addRotated(
  _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, less centre: SIMD2<Double>,
  by turn: SIMD2<Double>, to sumX: UnsafeMutablePointer<Double>, _ sumY: UnsafeMutablePointer<Double>,
  _ count: Int
) {
  let (cx, cy) = (SIMD8(repeating: centre.x), SIMD8(repeating: centre.y))
  var i = 0
  while i &+ 8 <= count {
    let (dx, dy) = (eight(x + i) - cx, eight(y + i) - cy)
    let (nextX, nextY) = (
      eight(UnsafePointer(sumX) + i) + (turn.x * dx + turn.y * dy),
      eight(UnsafePointer(sumY) + i) + (turn.x * dy - turn.y * dx)
    )
    UnsafeMutableRawPointer(sumX + i).storeBytes(of: nextX, as: SIMD8<Double>.self)
    UnsafeMutableRawPointer(sumY + i).storeBytes(of: nextY, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    let (dx, dy) = (x[i] - centre.x, y[i] - centre.y)
    sumX[i] += turn.x * dx + turn.y * dy
    sumY[i] += turn.x * dy - turn.y * dx
    i &+= 1
  }
}

/// result[i] = factor.x · a[i] + factor.y · b[i] − c[i] + constant.
func combine(
  _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, by factor: SIMD2<Double>,
  less c: UnsafePointer<Double>, plus constant: Double, into result: UnsafeMutablePointer<Double>,
  _ count: Int
) {
  let constants = SIMD8(repeating: constant)
  var i = 0
  while i &+ 8 <= count {
    let value = factor.x * eight(a + i) + factor.y * eight(b + i) + constants - eight(c + i)
    UnsafeMutableRawPointer(result + i).storeBytes(of: value, as: SIMD8<Double>.self)
    i &+= 8
  }
  while i < count {
    result[i] = factor.x * a[i] + factor.y * b[i] + constant - c[i]
    i &+= 1
  }
}
