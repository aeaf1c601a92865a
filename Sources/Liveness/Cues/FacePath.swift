/// Where the face was and how wide, frame by frame, from the extent of its landmarks.
struct FacePath {
  /// Milliseconds since the challenge was shown.
  let times: [Double]
  /// In image widths.
  let widths: [Double]
  /// From the image's centre, in image widths.
  let centresX: [Double]
  let centresY: [Double]
  /// The mean of all points, in the face's usual sizes, the logarithm of the points' spread, and how that spread differs
  /// by direction: less noisy than extents.
  let smooth: [SIMD8<Double>]

  init(_ sequence: LandmarkSequence, times: [Double], imageAspect: Double) {
    self.times = times
    let count = sequence.layout.points
    var (widths, xs, ys) = ([Double](), [Double](), [Double]())
    var (moments, spreads) = ([(x: Double, y: Double, aspect: Double, shear: Double)](), [Double]())
    sequence.coordinates.withUnsafeBufferPointer { points in
      for frame in 0..<sequence.frames {
        let base = points.baseAddress! + frame * 2 * count
        let (left, right) = extent(base, count)
        let (top, bottom) = extent(base + count, count)
        widths.append(right - left)
        xs.append((left + right) / 2 - 0.5)
        ys.append((top + bottom) / 2 - imageAspect / 2)
        let (sumX, sumY) = (sum(base, count), sum(base + count, count))
        let n = Double(count)
        let xx = dot(base, base, count) - sumX * sumX / n
        let yy = dot(base + count, base + count, count) - sumY * sumY / n
        let xy = dot(base, base + count, count) - sumX * sumY / n
        let energy = max(xx + yy, 1e-12)
        moments.append((sumX / n, sumY / n, (xx - yy) / energy, 2 * xy / energy))
        spreads.append((energy / n).squareRoot())
      }
    }
    let size = spreads.median
    smooth = zip(moments, spreads).map { moment, spread in
      SIMD8(moment.x / size, moment.y / size, Elementary.log(spread), moment.aspect, moment.shear, 0, 0, 0)
    }
    self.widths = widths
    centresX = xs
    centresY = ys
  }

  /// How far the path ever turns straight back: −(step before · step after) where that is positive.
  ///
  /// A body that starts or stops keeps its direction from frame to frame, and jitter turns back by little. A frame out of
  /// its order is gone to and left again.
  func writeIrregularity(to features: inout FeatureVector) {
    let path = smooth
    guard path.count >= 4 else { return }
    var (greatest, bends) = (0.0, [Double]())
    bends.reserveCapacity(path.count)
    for i in 1..<path.count - 1 {
      let (before, after) = (path[i] - path[i - 1], path[i + 1] - path[i])
      greatest = max(greatest, -(before * after).sum())
      let bend = after - before
      bends.append((bend * bend).sum())
    }
    features[.pathReversal] = Elementary.log(greatest.squareRoot() + 1e-5)
    features[.pathIrregularity] = Elementary.log(
      greatest.squareRoot() / (bends.median.squareRoot() + 1e-4) + 1e-3)
  }
}

/// The least and the greatest of `count` numbers.
private func extent(_ values: UnsafePointer<Double>, _ count: Int) -> (Double, Double) {
  // Four at a time, so that no comparison waits for the one before; of least and greatest the order doesn't matter.
  var (l0, l1, l2, l3) = (values[0], values[0], values[0], values[0])
  var (h0, h1, h2, h3) = (l0, l0, l0, l0)
  func take(_ value: Double, _ low: inout Double, _ high: inout Double) {
    low = value < low ? value : low
    high = value > high ? value : high
  }
  var i = 0
  while i &+ 4 <= count {
    take(values[i], &l0, &h0)
    take(values[i &+ 1], &l1, &h1)
    take(values[i &+ 2], &l2, &h2)
    take(values[i &+ 3], &l3, &h3)
    i &+= 4
  }
  while i < count {
    take(values[i], &l0, &h0)
    i &+= 1
  }
  return (min(min(l0, l1), min(l2, l3)), max(max(h0, h1), max(h2, h3)))
}
