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
    for unit in units {
      let segment = view[unit.segment].segment
      collectors.withUnsafeMutableBufferPointer { collectors in
        firstPass.scan(
          unit, of: view[unit.segment], scratch: &scratch, cutoff: { collectors[$0].cutoff },
          accept: { take($1, of: unit, for: $0, into: &collectors[$0]) })
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

  /// Where a first pass rules out less than this share of a unit's rows, bounds only cost time.
  private static let densePart = 3

  /// Hands the rows that a first pass left to the collector: one by one, or scored all together when they are most.
  private func take(
    _ selection: Selection, of unit: ScanUnit, for probe: Int, into collector: inout CandidateCollector
  ) {
    let segment = view[unit.segment].segment
    // Before there is a cutoff every row is left, and few of them will be scored.
    if selection.indices.count * Self.densePart > unit.rows.count, selection.indices.count > request.limit,
      segment.readsRowsFromFile ? !collector.isLimited : collector.hasCutoff
    {
      return takeDense(unit.wholeBlockRows, of: unit.segment, for: probe, into: &collector)
    }
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

  /// Scores consecutive rows at the speed of memory.
  private func takeDense(
    _ rows: Range<Int>, of position: Int, for probe: Int, into collector: inout CandidateCollector
  ) {
    let segment = view[position].segment
    withUnsafeTemporaryAllocation(of: Float.self, capacity: rows.count) { scores in
      probes[probe].withUnsafeBufferPointer {
        kernels.table.pointee.dot_rows_f32(
          $0.baseAddress!, segment.rows + rows.lowerBound * segment.stride, segment.stride, rows.count,
          $0.count,
          scores.baseAddress!)
      }
      for index in 0..<rows.count {
        let score = min(max(scores[index], -1), 1)
        guard score >= collector.cutoff, includes(rows.lowerBound + index, of: segment) else { continue }
        collector.settle(RowLocation(segment: position, row: rows.lowerBound + index), score)
      }
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
    segment.isPresent(row, at: view.version) && request.filter.includes(segment.references[row])
  }
}
