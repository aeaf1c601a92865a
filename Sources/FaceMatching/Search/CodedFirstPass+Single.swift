import CFaceKernels

extension CodedFirstPass {
  /// Where more than this share of a unit's rows is left, the fine plane costs less than scoring them.
  private static let densePart = 6
  /// For how many units that is taken for granted at most.
  private static let mostFineUnits = 16

  /// Scans for the only probe: coarse codes, residual codes of what these leave, and the fine plane where both leave much.
  func scanSingle(
    _ rows: Range<Int>, of view: SegmentView, offset: Float, scratch: inout Scratch, cutoff: Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let (block, blockCount) = (rows.lowerBound / Int(FK_BLOCK_ROWS), rows.count / Int(FK_BLOCK_ROWS))
    let (segment, constant) = (view.segment, probes[0].constant(largestNorm: view.largestNorm))
    func estimates(_ plane: CodePlane) -> Estimates {
      Estimates(probe: 0, rows: rows, plane: plane, constant: constant, offset: offset, position: 0)
    }
    if scratch.fineUnits == 0 {
      let coarse = estimates(segment.coarse)
      codes.withUnsafeBufferPointer {
        kernels.table.pointee.dot_blocks_u3(
          coarse.plane.block(block), blockCount, planeDimension, $0.baseAddress!, &scratch.products)
      }
      let count = refine(
        select(coarse, &scratch, cutoff: cutoff), coarse, by: segment.residual, &scratch, cutoff: cutoff)
      // Before there is a cutoff no code rules anything out.
      if count * Self.densePart < rows.count || (cutoff <= -1 && !segment.readsRowsFromFile) {
        scratch.nextFineUnits = 1
        if segment.readsRowsFromFile {
          let left = sharpen(count, coarse, by: segment.fine, &scratch, cutoff: cutoff)
          return hand(coarse, errors: segment.fine.errors, left, scratch, to: accept)
        }
        return hand(coarse, errors: segment.residual.errors, count, scratch, to: accept)
      }
      scratch.fineUnits = scratch.nextFineUnits
      scratch.nextFineUnits = min(2 * scratch.nextFineUnits, Self.mostFineUnits)
    }
    scratch.fineUnits -= 1
    let fine = estimates(segment.fine)
    multiply(0..<1, fine.plane.block(block), blockCount: blockCount, into: &scratch.products)
    hand(fine, errors: fine.plane.errors, select(fine, &scratch, cutoff: cutoff), scratch, to: accept)
  }

  /// Adds what the residual codes say to the estimates of the rows selected; the number that is left of these.
  ///
  /// With the upper bits h and the lower bits l of a code, 2 (4 h + l) − 31 = 4 (2 h − 7) + (2 l − 3).
  private func refine(
    _ count: Int, _ coarse: Estimates, by residual: ResidualCodes, _ scratch: inout Scratch, cutoff: Float
  ) -> Int {
    let (probe, first) = (probes[coarse.probe], coarse.rows.lowerBound)
    codes.withUnsafeBufferPointer {
      kernels.table.pointee.dot_rows_u2(
        residual.row(first), planeDimension, scratch.indices, count, $0.baseAddress!, &scratch.products)
    }
    return kernels.table.pointee.refine_u2(
      scratch.products, coarse.plane.scales + first, residual.errors + first, count, probe.scale,
      probe.errorFactor, coarse.constant, cutoff - coarse.offset, &scratch.indices, &scratch.estimates)
  }

  /// Estimates the selected rows anew by the fine plane, a block of it for each, and leaves those that may still reach the
  /// cutoff: where a row has to come from a file, 8 KB of memory cost nothing.
  private func sharpen(
    _ count: Int, _ coarse: Estimates, by fine: CodePlane, _ scratch: inout Scratch, cutoff: Float
  ) -> Int {
    let (probe, first, least) = (probes[coarse.probe], coarse.rows.lowerBound, cutoff - coarse.offset)
    let blockRows = Int(FK_BLOCK_ROWS)
    var kept = 0
    for position in 0..<count {
      let index = scratch.indices[position]
      let row = first + Int(index)
      multiply(0..<1, fine.block(row / blockRows), blockCount: 1, into: &scratch.products)
      let estimate = fine.scales[row] * (probe.scale * Float(scratch.products[row % blockRows]))
      guard estimate + (probe.errorFactor * fine.errors[row] + coarse.constant) >= least else { continue }
      scratch.indices[kept] = index
      scratch.estimates[kept] = estimate
      kept += 1
    }
    return kept
  }
}
