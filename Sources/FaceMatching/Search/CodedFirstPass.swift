import CFaceKernels

/// Candidates by products of coded rows within a proven error bound (see `QuantisedProbe`).
///
/// A single probe waits for memory, so it reads the coarse plane, and the residual codes of the rows that this leaves;
/// where little is ruled out so, the fine plane. Several wait for arithmetic and read the fine one.
struct CodedFirstPass: FirstPass {
  struct Scratch {
    var products: [Int32]
    var indices: [UInt32]
    var estimates: [Float]
    /// For each frame met: the probes as its rows are multiplied with.
    var probes: [ObjectIdentifier: QuantisedProbes] = [:]
    /// Units for which the fine plane is read at once, since coarse and residual codes ruled out little.
    var fineUnits = 0
    /// How many that will be at the next time: twice as many each time in a row.
    var nextFineUnits = 1
    /// For a batch: units that are not looked at, since of those before no probe could rule out much.
    var skippedUnits = 0
    /// How many that will be at the next time.
    var nextSkippedUnits = 1
  }

  /// Where every probe of a batch leaves more than this share of a unit's rows, the next units are scored as they are.
  private static let skippedPart = 8
  /// For how many units that is taken for granted at most.
  private static let mostSkippedUnits = 16

  /// Probes multiplied in one call: with a unit's rows, their products fit the second-level cache.
  private static let groupSize = 64

  private let values: [[Float]]
  let planeDimension: Int
  let kernels: Kernels

  init(_ probes: [[Float]], kernels: Kernels) {
    values = probes
    planeDimension = probes[0].count.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    self.kernels = kernels
  }

  var unitRows: Int { values.count == 1 ? 8192 : 1024 }

  func makeScratch() -> Scratch {
    Scratch(
      products: Array(repeating: 0, count: min(values.count, Self.groupSize) * unitRows),
      indices: Array(repeating: 0, count: unitRows), estimates: Array(repeating: 0, count: unitRows))
  }

  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout Scratch, cutoff: (Int) -> Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let rows = unit.wholeBlockRows
    if rows.isEmpty { return }
    let probes = probes(in: view.segment.frame, &scratch)
    if values.count == 1 {
      return scanSingle(rows, of: view, for: probes, scratch: &scratch, cutoff: cutoff(0), accept: accept)
    }
    if scratch.skippedUnits > 0, !view.segment.readsRowsFromFile {
      scratch.skippedUnits -= 1
      return leaveAll(rows, accept: accept)
    }
    scanBatch(rows, of: view, for: probes, scratch: &scratch, cutoff: cutoff, accept: accept)
  }

  private func scanBatch(
    _ rows: Range<Int>, of view: SegmentView, for probes: QuantisedProbes, scratch: inout Scratch,
    cutoff: (Int) -> Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let (plane, block) = (view.segment.fine, rows.lowerBound / Int(FK_BLOCK_ROWS))
    var denseProbes = 0
    for first in stride(from: 0, to: values.count, by: Self.groupSize) {
      let group = first..<min(first + Self.groupSize, values.count)
      multiply(
        group, of: probes, plane.block(block), blockCount: rows.count / Int(FK_BLOCK_ROWS),
        into: &scratch.products)
      for probe in group {
        let estimates = Estimates(
          of: probe, probes[probe], rows, of: view, by: plane, position: (probe - first) * rows.count)
        let cutoff = cutoff(probe)
        let count = select(estimates, &scratch, cutoff: cutoff)
        // Before there is a cutoff no code rules anything out.
        if count * Self.skippedPart > rows.count, cutoff > -1 { denseProbes += 1 }
        hand(estimates, errors: plane.errors, count, scratch, to: accept)
      }
    }
    if denseProbes == values.count {
      scratch.skippedUnits = scratch.nextSkippedUnits
      scratch.nextSkippedUnits = min(2 * scratch.nextSkippedUnits, Self.mostSkippedUnits)
    } else {
      scratch.nextSkippedUnits = 1
    }
  }

  /// Hands all rows over for every probe, with nothing known of them.
  private func leaveAll(
    _ rows: Range<Int>, accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let indices = (0..<rows.count).map { UInt32($0) }
    let estimates = [Float](repeating: 0, count: rows.count)
    indices.withUnsafeBufferPointer { indices in
      estimates.withUnsafeBufferPointer { estimates in
        for probe in values.indices {
          accept(
            probe,
            Selection(firstRow: rows.lowerBound, indices: indices, estimates: estimates, constant: .infinity))
        }
      }
    }
  }

  /// The products of a probe with rows of a plane, and what makes estimates and bounds of them.
  struct Estimates {
    /// Which of the probes it is.
    let index: Int
    let probe: QuantisedProbe
    let rows: Range<Int>
    let plane: CodePlane
    /// Of the first of the rows; nil where the frame has no axis.
    let axial: UnsafePointer<Float>?
    let constant: Float
    /// Where the products begin.
    let position: Int

    init(
      of index: Int, _ probe: QuantisedProbe, _ rows: Range<Int>, of view: SegmentView, by plane: CodePlane,
      position: Int
    ) {
      self.index = index
      self.probe = probe
      self.rows = rows
      self.plane = plane
      axial = view.segment.frame.axis.map { _ in
        UnsafePointer(view.segment.axialComponents + rows.lowerBound)
      }
      constant = probe.constant(largestNorm: view.largestNorm)
      self.position = position
    }
  }

  private func probes(in frame: CodingFrame, _ scratch: inout Scratch) -> QuantisedProbes {
    if let known = scratch.probes[ObjectIdentifier(frame)] { return known }
    let probes = QuantisedProbes(values, in: frame, kernels: kernels)
    scratch.probes[ObjectIdentifier(frame)] = probes
    return probes
  }

  func multiply(
    _ group: Range<Int>, of probes: QuantisedProbes, _ blocks: UnsafePointer<UInt8>, blockCount: Int,
    into products: inout [Int32]
  ) {
    probes.codes.withUnsafeBufferPointer { codes in
      kernels.table.pointee.dot_blocks_i8(
        blocks, blockCount, planeDimension, codes.baseAddress! + group.lowerBound * planeDimension,
        group.count,
        &products)
    }
  }

  /// The number of rows whose score may reach the cutoff; `scratch` says which, and their estimates.
  func select(_ estimates: Estimates, _ scratch: inout Scratch, cutoff: Float) -> Int {
    let (plane, probe, first) = (estimates.plane, estimates.probe, estimates.rows.lowerBound)
    return scratch.products.withUnsafeBufferPointer { products in
      kernels.table.pointee.select_i8(
        products.baseAddress! + estimates.position, plane.scales + first, plane.errors + first,
        estimates.axial, estimates.rows.count, probe.scale, probe.axialFactor, probe.errorFactor,
        estimates.constant, cutoff - probe.offset, &scratch.indices, &scratch.estimates)
    }
  }

  /// Hands over the rows selected; `errors` are those of the codes that the estimates were made with.
  func hand(
    _ estimates: Estimates, errors: UnsafePointer<Float>, _ count: Int, _ scratch: Scratch,
    to accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    if count == 0 { return }
    scratch.indices.withUnsafeBufferPointer { indices in
      scratch.estimates.withUnsafeBufferPointer { values in
        accept(
          estimates.index,
          Selection(
            firstRow: estimates.rows.lowerBound, indices: UnsafeBufferPointer(rebasing: indices[..<count]),
            estimates: UnsafeBufferPointer(rebasing: values[..<count]), offset: estimates.probe.offset,
            errors: errors + estimates.rows.lowerBound,
            errorFactor: estimates.probe.errorFactor, constant: estimates.constant))
      }
    }
  }
}
