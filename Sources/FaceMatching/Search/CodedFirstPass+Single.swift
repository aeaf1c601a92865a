import CFaceKernels

extension CodedFirstPass {
  /// Where more than this share of a unit's rows is left, the fine plane costs less than scoring them.
  private static let densePart = 6
  /// For how many units that is taken for granted at most.
  private static let mostFineUnits = 16

  /// Scans for the only probe: coarse codes, residual codes of what these leave, and the fine plane where both leave much.
  func scanSingle(
    _ rows: Range<Int>, of view: SegmentView, for probes: QuantisedProbes, scratch: inout Scratch,
    cutoff: Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let (block, blockCount) = (rows.lowerBound / Int(FK_BLOCK_ROWS), rows.count / Int(FK_BLOCK_ROWS))
    let segment = view.segment
    func estimates(_ plane: CodePlane) -> Estimates {
      Estimates(of: 0, probes[0], rows, of: view, by: plane, position: 0)
    }
    if scratch.fineUnits == 0 {
      let coarse = estimates(segment.coarse)
      kernels.table.pointee.dot_blocks_u3(
        coarse.plane.block(block), blockCount, planeDimension, probes.codes, &scratch.products)
      let count = refine(
        select(coarse, &scratch, cutoff: cutoff), coarse, probes.codes, by: segment.residual, &scratch,
        cutoff: cutoff)
      // Before there is a cutoff no code rules anything out.
      if count * Self.densePart < rows.count || (cutoff <= -1 && !segment.readsRowsFromFile) {
        scratch.nextFineUnits = 1
        if segment.readsRowsFromFile {
          let left = sharpen(count, coarse, probes, by: segment.fine, &scratch, cutoff: cutoff)
          return hand(coarse, errors: segment.fine.errors, left, scratch, to: accept)
        }
        return hand(coarse, errors: segment.residual.errors, count, scratch, to: accept)
      }
      scratch.fineUnits = scratch.nextFineUnits
      scratch.nextFineUnits = min(2 * scratch.nextFineUnits, Self.mostFineUnits)
    }
    scratch.fineUnits -= 1
    let fine = estimates(segment.fine)
    multiply(0..<1, of: probes, fine.plane.block(block), blockCount: blockCount, into: &scratch.products)
    hand(fine, errors: fine.plane.errors, select(fine, &scratch, cutoff: cutoff), scratch, to: accept)
  }

  /// Adds what the residual codes say to the estimates of the rows selected; the number that is left of these.
  ///
  /// With the upper bits h and the lower bits l of a code, 2 (4 h + l) − 31 = 4 (2 h − 7) + (2 l − 3).
  private func refine(
    _ count: Int, _ coarse: Estimates, _ codes: [Int8], by residual: ResidualCodes, _ scratch: inout Scratch,
    cutoff: Float
  ) -> Int {
    let (probe, first) = (coarse.probe, coarse.rows.lowerBound)
    kernels.table.pointee.dot_rows_u2(
      residual.row(first), planeDimension, scratch.indices, count, codes, &scratch.products)
    return kernels.table.pointee.refine_u2(
      scratch.products, coarse.plane.scales + first, residual.errors + first, count, probe.scale,
      probe.errorFactor, coarse.constant, cutoff - probe.offset, &scratch.indices, &scratch.estimates)
  }

  /// Estimates the selected rows anew by the fine plane, a block of it for each, and leaves those that may still reach the
  /// cutoff: where a row has to come from a file, 8 KB of memory cost nothing.
  private func sharpen(
    _ count: Int, _ coarse: Estimates, _ probes: QuantisedProbes, by fine: CodePlane,
    _ scratch: inout Scratch, cutoff: Float
  ) -> Int {
    let (probe, first, least) = (coarse.probe, coarse.rows.lowerBound, cutoff - coarse.probe.offset)
    let blockRows = Int(FK_BLOCK_ROWS)
    var kept = 0
    for position in 0..<count {
      let index = scratch.indices[position]
      let row = first + Int(index)
      multiply(0..<1, of: probes, fine.block(row / blockRows), blockCount: 1, into: &scratch.products)
      var estimate = fine.scales[row] * (probe.scale * Float(scratch.products[row % blockRows]))
      if let axial = coarse.axial { estimate += probe.axialFactor * axial[Int(index)] }
      guard estimate + (probe.errorFactor * fine.errors[row] + coarse.constant) >= least else { continue }
      scratch.indices[kept] = index
      scratch.estimates[kept] = estimate
      kept += 1
    }
    return kept
  }
}
