/// One streaming pass over the residuals of all frames: everything that the features are made of.
///
/// A residual is what the affine map of a frame leaves, brought back to the shape's units. It is orthogonal to x, y
/// and 1 over the points, so that products with a raw column are those with the column freed of its affine part.
struct ResidualSums {
  let basis: ResidualBasis
  let frames: Int
  /// Inter-ocular distance over camera distance, by frame.
  let q: [Double]
  let qMean: Double
  /// q in ascending order.
  let ascending: [Double]
  /// Σ (q − mean)².
  let qSpread: Double

  /// Products of each frame's residual with M∘x, M∘y, M∘D, D eₓ and D e_y.
  private(set) var products: [SIMD8<Double>] = []
  /// What they amount to as coefficients of the basis's columns.
  private(set) var coefficients: [SIMD8<Double>] = []
  /// Σ of the squares of all residuals.
  private(set) var energy = 0.0
  /// Σ over frames of the residual, and weighted by q − mean; both coordinates, 2 × points.
  private(set) var total: [Double]
  private(set) var qWeighted: [Double]
  /// Σ over frames of x weighted by the frame's turning about the vertical axis, and of y by that about the other.
  private(set) var turned: [Double]
  /// The mean residual of the nearest fifth of the frames less that of the farthest.
  private(set) var nearLessFar: [Double]
  let endFrames: Int

  /// Root mean square change between successive frames, and of second differences.
  private(set) var steps: [Double] = []
  private(set) var curvatures: [Double] = []
  private(set) var stepProducts = 0.0
  private(set) var stepEnergy = 0.0
  private var stepNeighbourProducts = 0.0

  /// Points whose residuals are kept.
  let kept: [Int]
  /// Residuals of the kept points, frame by frame: all x, then all y.
  private(set) var keptResiduals: [Double]
  private var first: [Double] = []
  private var last: [Double] = []
  private let fits: [AffineFit]
  /// For each frame the weight of its residual in `nearLessFar`.
  private let endWeights: [Double]

  private let points: Int

  init(basis: ResidualBasis, fits: [AffineFit], focalLength: Double, kept: [Int]) {
    self.basis = basis
    points = basis.shape.points
    self.fits = fits
    self.kept = kept
    keptResiduals = [Double](repeating: 0, count: 2 * kept.count * fits.count)
    frames = fits.count
    let q = fits.map { $0.size / focalLength }
    self.q = q
    let mean = q.mean
    qMean = mean
    qSpread = q.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    total = [Double](repeating: 0, count: 2 * basis.shape.points)
    qWeighted = total
    turned = total
    nearLessFar = total
    let ends = max(3, frames / 5)
    endFrames = ends
    ascending = q.sorted()
    endWeights = Self.weights(ofEnds: ends, q, ascending)
  }

  /// −1/`ends` for the `ends` smallest of `q`, +1/`ends` for the greatest; of equal ones the earlier count as smaller.
  private static func weights(ofEnds ends: Int, _ q: [Double], _ ascending: [Double]) -> [Double] {
    var weights = [Double](repeating: 0, count: q.count)
    let (low, high) = (ascending[min(ends, q.count) - 1], ascending[max(q.count - ends, 0)])
    var (least, greatest) = (ends, ends)
    for value in ascending {
      least -= value < low ? 1 : 0
      greatest -= value > high ? 1 : 0
    }
    for index in q.indices where q[index] <= low {
      if q[index] == low {
        guard least > 0 else { continue }
        least -= 1
      }
      weights[index] -= 1 / Double(ends)
    }
    for index in q.indices.reversed() where q[index] >= high {
      if q[index] == high {
        guard greatest > 0 else { continue }
        greatest -= 1
      }
      weights[index] += 1 / Double(ends)
    }
    return weights
  }

  /// The jitter in inter-ocular distances: the median over time of second differences, scaled for white noise.
  private(set) var noiseFloor = 0.0

  mutating func accumulate(_ coordinates: UnsafePointer<Double>, neighbours: [Int]) {
    let width = 2 * points
    // The residuals of the last three frames, and the last two changes, in turn.
    let ring = UnsafeMutablePointer<Double>.allocate(capacity: 5 * width)
    defer { ring.deallocate() }
    steps.reserveCapacity(frames)
    curvatures.reserveCapacity(frames)
    products.reserveCapacity(frames)
    coefficients.reserveCapacity(frames)
    for frame in 0..<frames {
      let residual = ring + frame % 3 * width
      writeResidual(coordinates + frame * width, fits[frame], residual)
      addProducts(of: residual, frame: frame)
      keep(residual, frame: frame)
      if frame == 0 { first = Array(UnsafeBufferPointer(start: residual, count: width)) }
      if frame == frames - 1 { last = Array(UnsafeBufferPointer(start: residual, count: width)) }
      if frame > 0 {
        let step = ring + (3 + frame % 2) * width
        let before = ring + (3 + (frame + 1) % 2) * width
        addStep(residual, ring + (frame + 2) % 3 * width, step, frame > 1 ? before : nil, neighbours)
      }
    }
    noiseFloor = curvatures.map { ($0 * $0 / 6).squareRoot() }.median
  }

  private func writeResidual(
    _ seen: UnsafePointer<Double>, _ fit: AffineFit, _ residual: UnsafeMutablePointer<Double>
  ) {
    let count = points
    let determinant = fit.determinant
    // (P − centre) L⁻¹ − M, with P a row.
    let (ixx, ixy) = (fit.yy / determinant, -fit.xy / determinant)
    let (iyx, iyy) = (-fit.yx / determinant, fit.xx / determinant)
    let constantX = -(fit.centreX * ixx + fit.centreY * iyx)
    let constantY = -(fit.centreX * ixy + fit.centreY * iyy)
    combine(
      seen, seen + count, by: SIMD2(ixx, iyx), less: basis.shape.x, plus: constantX, into: residual, count)
    combine(
      seen, seen + count, by: SIMD2(ixy, iyy), less: basis.shape.y, plus: constantY, into: residual + count,
      count)
  }

  private mutating func addProducts(of residual: UnsafePointer<Double>, frame: Int) {
    let (count, width) = (points, 2 * points)
    let product = basis.products(with: residual)
    let coefficient = basis.all.solve(basis.own(product))
    products.append(product)
    coefficients.append(coefficient)
    energy += dot(residual, residual, width)
    addScaled(residual, by: 1, to: &total, and: q[frame] - qMean, to: &qWeighted, width)
    if endWeights[frame] != 0 { addScaled(residual, by: endWeights[frame], to: &nearLessFar, width) }
    guard basis.hasTurns else { return }
    turned.withUnsafeMutableBufferPointer {
      addScaled(residual, by: coefficient[3], to: $0.baseAddress!, count)
      addScaled(residual + count, by: coefficient[4], to: $0.baseAddress! + count, count)
    }
  }

  private mutating func keep(_ residual: UnsafePointer<Double>, frame: Int) {
    let count = points
    let chosen = kept.count
    keptResiduals.withUnsafeMutableBufferPointer { values in
      kept.withUnsafeBufferPointer { kept in
        let base = frame * 2 * chosen
        for k in 0..<chosen {
          values[base &+ k] = residual[kept[k]]
          values[base &+ chosen &+ k] = residual[count &+ kept[k]]
        }
      }
    }
  }

  /// Takes the change from `earlier` to `residual`, and compares it with the change `before` it.
  private mutating func addStep(
    _ residual: UnsafePointer<Double>, _ earlier: UnsafePointer<Double>, _ step: UnsafeMutablePointer<Double>,
    _ before: UnsafeMutablePointer<Double>?, _ neighbours: [Int]
  ) {
    let width = 2 * points
    subtract(earlier, from: residual, into: step, width)
    let squared = dot(step, step, width)
    stepEnergy += squared
    steps.append((squared / Double(width)).squareRoot())
    if let before {
      let product = dot(step, before, width)
      stepProducts += product
      subtract(before, from: step, into: before, width)
      curvatures.append((dot(before, before, width) / Double(width)).squareRoot())
    }
    stepNeighbourProducts += neighbourDot(step, neighbours)
  }

  private func neighbourDot(_ step: UnsafePointer<Double>, _ neighbours: [Int]) -> Double {
    let count = points
    return neighbours.withUnsafeBufferPointer { neighbours in
      var (x0, x1, y0, y1) = (0.0, 0.0, 0.0, 0.0)
      var i = 0
      while i &+ 2 <= count {
        let (j, k) = (neighbours[i], neighbours[i &+ 1])
        x0 += step[i] * step[j]
        y0 += step[count &+ i] * step[count &+ j]
        x1 += step[i &+ 1] * step[k]
        y1 += step[count &+ i &+ 1] * step[count &+ k]
        i &+= 2
      }
      if i < count {
        let j = neighbours[i]
        x0 += step[i] * step[j]
        y0 += step[count &+ i] * step[count &+ j]
      }
      return (x0 + x1) + (y0 + y1)
    }
  }

  /// Products of neighbouring points' changes, less the changes' means, and the changes' energy likewise.
  func neighbourProducts(_ neighbours: [Int]) -> (products: Double, energy: Double) {
    let n = Double(frames - 1)
    let mean = zip(last, first).map { ($0 - $1) / n }
    let products =
      stepNeighbourProducts - n
      * mean.withUnsafeBufferPointer {
        neighbourDot($0.baseAddress!, neighbours)
      }
    return (products, stepEnergy - n * dot(mean, mean, mean.count))
  }

  /// Inner products of the residuals of all pairs of frames; only when all points are kept.
  var frameProducts: [Double] {
    let width = 2 * points
    var gram = [Double](repeating: 0, count: frames * frames)
    keptResiduals.withUnsafeBufferPointer { residuals in
      for i in 0..<frames {
        for j in 0...i {
          let product = dot(residuals.baseAddress! + i * width, residuals.baseAddress! + j * width, width)
          gram[i * frames + j] = product
          gram[j * frames + i] = product
        }
      }
    }
    return gram
  }
}
