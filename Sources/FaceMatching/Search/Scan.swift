import Biometrics
import CFaceKernels

/// One search: which rows count, what their scores are, and what is made of them. Shared by the threads that run it.
struct Scan: Sendable {
  let view: PartitionView
  let probes: [[Float]]
  let request: SearchRequest
  let kernels: Kernels

  /// The units of all segments, divided into consecutive shares of about the same number of rows.
  func shares(atMost count: Int, unitRows: Int, rowsPerShare: Int) -> [[ScanUnit]] {
    var units: [ScanUnit] = []
    for segment in 0..<view.segmentCount {
      let rowCount = view[segment].count
      for first in stride(from: 0, to: rowCount, by: unitRows) {
        units.append(ScanUnit(segment: segment, rows: first..<min(first + unitRows, rowCount)))
      }
    }
    let rowCount = units.reduce(0) { $0 + $1.rows.count }
    let shareCount = max(1, min(count, rowCount * probes.count / rowsPerShare, units.count))
    return (0..<shareCount).map { share in
      Array(units[units.count * share / shareCount..<units.count * (share + 1) / shareCount])
    }
  }

  /// Scans `units` for all probes; a collector for each.
  func run(over units: [ScanUnit], firstPass: some FirstPass) -> [CandidateCollector] {
    var collectors = probes.map { _ in CandidateCollector(request: request, rowCount: view.referenceCount) }
    var scratch = firstPass.makeScratch()
    var dense: [Int] = []
    var densePart = Self.densePart
    for unit in units {
      let segment = view[unit.segment].segment
      collectors.withUnsafeMutableBufferPointer { collectors in
        dense.removeAll(keepingCapacity: true)
        var nearlyDenseCount = 0
        firstPass.scan(
          unit, of: view[unit.segment], scratch: &scratch, cutoff: { collectors[$0].cutoff },
          accept: {
            if isDense($1, of: unit, for: collectors[$0], Self.sharedDensePart) { nearlyDenseCount += 1 }
            if isDense($1, of: unit, for: collectors[$0], densePart) { return dense.append($0) }
            take($1, of: unit, for: $0, into: &collectors[$0])
          })
        densePart = nearlyDenseCount >= Self.sharingProbes ? Self.sharedDensePart : Self.densePart
        takeDense(unit.wholeBlockRows, of: unit.segment, for: dense, into: collectors)
        for row in unit.remainingRows where includes(row, of: segment) {
          let location = RowLocation(segment: unit.segment, row: row)
          for probe in collectors.indices { collectors[probe].settle(location, score(probe, at: location)) }
        }
        for probe in collectors.indices {
          collectors[probe].thinOut { scores(probe, at: $0) }
        }
      }
    }
    return collectors
  }

  /// Where a first pass leaves more than this share of a unit's rows, scoring all of them one after the other is quicker.
  private static let densePart = 3
  /// The same where the rows, once read, are scored with many probes.
  private static let sharedDensePart = 32
  private static let sharingProbes = 8

  /// Whether the rows that a first pass left are better scored all together.
  private func isDense(
    _ selection: Selection, of unit: ScanUnit, for collector: CandidateCollector, _ densePart: Int
  ) -> Bool {
    let count = selection.indices.count
    guard count * densePart > unit.rows.count, count > request.limit else { return false }
    // Before there is a cutoff every row is left, and few of them will be scored.
    return view[unit.segment].segment.readsRowsFromFile ? !collector.isLimited : collector.hasCutoff
  }

  /// Hands the rows that a first pass left to the collector.
  private func take(
    _ selection: Selection, of unit: ScanUnit, for probe: Int, into collector: inout CandidateCollector
  ) {
    let segment = view[unit.segment].segment
    for position in selection.indices.indices {
      let upperBound = selection.upperBound(position)
      let row = selection.row(position)
      guard upperBound >= collector.cutoff, includes(row, of: segment) else { continue }
      let location = RowLocation(segment: unit.segment, row: row)
      if segment.readsRowsFromFile {
        collector.offer(location, lowerBound: selection.lowerBound(position), upperBound: upperBound)
        continue
      }
      collector.offer(location, estimate: selection.estimate(position), upperBound: upperBound) {
        score(probe, at: $0)
      }
    }
  }

  /// Probes that are multiplied with a unit's rows in one call: their scores fit the second-level cache.
  private static let denseGroup = 64

  /// Scores consecutive rows with some of the probes, one at the speed of memory and many at that of arithmetic.
  private func takeDense(
    _ rows: Range<Int>, of position: Int, for dense: [Int],
    into collectors: UnsafeMutableBufferPointer<CandidateCollector>
  ) {
    let segment = view[position].segment
    for start in stride(from: 0, to: dense.count, by: Self.denseGroup) {
      let group = dense[start..<min(start + Self.denseGroup, dense.count)]
      let packed = group.flatMap { probes[$0] }
      withUnsafeTemporaryAllocation(of: Float.self, capacity: group.count * rows.count) { scores in
        kernels.table.pointee.dot_pairs_f32(
          packed, segment.dimension, group.count, segment.rows + rows.lowerBound * segment.stride,
          segment.stride, rows.count, segment.dimension, scores.baseAddress!, rows.count)
        for (order, probe) in group.enumerated() {
          settle(
            scores[(order * rows.count)..<((order + 1) * rows.count)], rows, of: position,
            into: &collectors[probe])
        }
      }
    }
  }

  private func settle(
    _ scores: Slice<UnsafeMutableBufferPointer<Float>>, _ rows: Range<Int>, of position: Int,
    into collector: inout CandidateCollector
  ) {
    let segment = view[position].segment
    for (score, row) in zip(scores, rows) {
      let score = min(max(score, -1), 1)
      guard score >= collector.cutoff, includes(row, of: segment) else { continue }
      collector.settle(RowLocation(segment: position, row: row), score)
    }
  }

  /// The results of a probe from what the threads gathered for it.
  func finish(_ probe: Int, parts: [CandidateCollector]) -> [Candidate] {
    var collector = CandidateCollector(request: request, rowCount: view.referenceCount)
    for part in parts { collector.merge(part) }
    return results(collector.finish { scores(probe, at: $0) }.map { ($0.score, $0.location) })
  }

  /// Best first, ties by ascending enrolment, at most as many as asked for, of those that reach the threshold.
  func results(_ rows: [(score: Float, location: RowLocation)]) -> [Candidate] {
    let candidates = rows.compactMap { row -> Candidate? in
      let segment = view[row.location.segment].segment
      guard row.score >= request.floor, includes(row.location.row, of: segment) else { return nil }
      return Candidate(reference: segment.references[row.location.row], score: SimilarityScore(row.score))
    }
    return Array(candidates.sorted(by: Candidate.isCloser).prefix(request.limit))
  }

  /// The score of a pair: the defined reduction, held within −1...1.
  func score(_ probe: Int, at location: RowLocation) -> Float {
    let segment = view[location.segment].segment
    return probes[probe].withUnsafeBufferPointer {
      SimilarityScore(
        clamping: kernels.table.pointee.dot_f32(
          $0.baseAddress!, segment.rows + location.row * segment.stride, $0.count)
      ).value
    }
  }

  /// The scores of many rows, which lie anywhere: the next ones are asked for while one is scored.
  private func scores(_ probe: Int, at locations: [RowLocation]) -> [Float] {
    if locations.isEmpty { return [] }
    let rows = locations.map { location -> UnsafePointer<Float> in
      let segment = view[location.segment].segment
      if segment.readsRowsFromFile { segment.fetch(location.row) }
      return UnsafePointer(segment.rows + location.row * segment.stride)
    }
    return [Float](unsafeUninitializedCapacity: rows.count) { scores, count in
      probes[probe].withUnsafeBufferPointer {
        fk_dot_scattered_f32(kernels.table, $0.baseAddress!, rows, rows.count, $0.count, scores.baseAddress!)
      }
      for index in 0..<rows.count { scores[index] = SimilarityScore(clamping: scores[index]).value }
      count = rows.count
    }
  }

  private func includes(_ row: Int, of segment: Segment) -> Bool {
    guard segment.isPresent(row, at: view.version) else { return false }
    // The reference is not even copied where any will do.
    if case .all = request.filter { return true }
    return request.filter.includes(segment.references[row])
  }
}
