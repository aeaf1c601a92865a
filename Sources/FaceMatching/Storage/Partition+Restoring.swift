import Biometrics

extension Partition {
  /// A partition of whole segments, all rows present; nil where sessions repeat or numbers don't ascend below
  /// `nextNumber`.
  convenience init?(
    restoring views: [SegmentView], nextNumber: UInt64, dimension: Int, kernels: Kernels,
    configuration: Gallery.Configuration
  ) {
    self.init(dimension: dimension, kernels: kernels, configuration: configuration)
    guard take(views, nextNumber: nextNumber) else { return nil }
  }

  private func take(_ views: [SegmentView], nextNumber: UInt64) -> Bool {
    let count = views.reduce(0) { $0 + $1.count }
    var numbers: [SessionID: UInt64] = [:]
    numbers.reserveCapacity(count)
    var least: UInt64 = 0
    for view in views {
      for row in 0..<view.count {
        let reference = view.segment.references[row]
        guard reference.number >= least,
          numbers.updateValue(reference.number, forKey: reference.session) == nil
        else { return false }
        least = reference.number + 1
        users.append(reference.number, to: reference.user)
      }
    }
    guard least <= nextNumber else { return false }
    begin(with: views, numbers: numbers, nextNumber: nextNumber)
    return true
  }
}
