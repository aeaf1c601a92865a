/// Where the face was and how wide, frame by frame, from the extent of its landmarks.
struct FacePath {
  /// Milliseconds since the challenge was shown.
  let times: [Double]
  /// In image widths.
  let widths: [Double]
  /// From the image's centre, in image widths.
  let centresX: [Double]
  let centresY: [Double]
  /// How the mean shape lies in each frame: its centre is less noisy than the extent's.
  let fits: [AffineFit]

  init(_ sequence: LandmarkSequence, fits: [AffineFit], times: [Double], imageAspect: Double) {
    self.times = times
    self.fits = fits
    let count = sequence.layout.points
    var (widths, xs, ys) = ([Double](), [Double](), [Double]())
    widths.reserveCapacity(sequence.frames)
    xs.reserveCapacity(sequence.frames)
    ys.reserveCapacity(sequence.frames)
    sequence.coordinates.withUnsafeBufferPointer { points in
      for frame in 0..<sequence.frames {
        let base = points.baseAddress! + frame * 2 * count
        let (left, right) = extent(base, count)
        let (top, bottom) = extent(base + count, count)
        widths.append(right - left)
        xs.append((left + right) / 2 - 0.5)
        ys.append((top + bottom) / 2 - imageAspect / 2)
      }
    }
    self.widths = widths
    centresX = xs
    centresY = ys
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
