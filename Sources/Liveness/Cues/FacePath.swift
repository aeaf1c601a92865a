/// Where the face was and how wide, frame by frame, from the extent of its landmarks.
struct FacePath {
  /// Milliseconds since the challenge was shown.
  let times: [Double]
  /// In image widths.
  let widths: [Double]
  /// From the image's centre, in image widths.
  let centresX: [Double]
  let centresY: [Double]
  /// The mean of all points, in the face's usual sizes, and the logarithm of the points' spread: less noisy than extents.
  let smooth: [SIMD3<Double>]

  init(_ sequence: LandmarkSequence, times: [Double], imageAspect: Double) {
    self.times = times
    let count = sequence.layout.points
    var (widths, xs, ys) = ([Double](), [Double](), [Double]())
    var (means, spreads) = ([SIMD2<Double>](), [Double]())
    sequence.coordinates.withUnsafeBufferPointer { points in
      for frame in 0..<sequence.frames {
        let base = points.baseAddress! + frame * 2 * count
        let (left, right) = extent(base, count)
        let (top, bottom) = extent(base + count, count)
        widths.append(right - left)
        xs.append((left + right) / 2 - 0.5)
        ys.append((top + bottom) / 2 - imageAspect / 2)
        let (sumX, sumY) = (sum(base, count), sum(base + count, count))
        let energy = dot(base, base, 2 * count) - (sumX * sumX + sumY * sumY) / Double(count)
        means.append(SIMD2(sumX, sumY) / Double(count))
        spreads.append((max(energy, 1e-12) / Double(count)).squareRoot())
      }
    }
    let size = spreads.median
    smooth = zip(means, spreads).map { SIMD3($0.x / size, $0.y / size, Elementary.log($1)) }
    self.widths = widths
    centresX = xs
    centresY = ys
  }
}

/// The least and the greatest of `count` numbers.
private func extent(_ values: UnsafePointer<Double>, _ count: Int) -> (Double, Double) {
  var (low, high) = (values[0], values[0])
  for index in 1..<count {
    let value = values[index]
    low = value < low ? value : low
    high = value > high ? value : high
  }
  return (low, high)
}
