import Biometrics
import CFaceKernels
import TestSupport
import Testing

@testable import FaceMatching

@Suite struct QuantisedProbeTests {
  private static let dimension = 72
  private let kernels = try! Kernels(level: .scalar)

  /// A row as it is coded.
  private struct Coded {
    let codes: [Int8], scale: Float, error: Float, axial: Float, norm: Float
  }

  private func coded(_ row: [Float], in frame: CodingFrame) -> Coded {
    let planeDimension = row.count.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    var values = [Float](repeating: 0, count: planeDimension)
    let axial = values.withUnsafeMutableBufferPointer { frame.place(row, in: $0) }
    var codes = [Int8](repeating: 0, count: planeDimension)
    let quantisation = kernels.table.pointee.quantise_i8(values, planeDimension, &codes)
    let norm = kernels.table.pointee.squared_norm_f32(values, planeDimension).squareRoot()
    return Coded(
      codes: codes, scale: quantisation.scale, error: quantisation.error_norm, axial: axial,
      norm: Float(norm).nextUp)
  }

  private func frame(_ direction: [Float], norm: Float) -> CodingFrame {
    CodingFrame(centre: direction.map { $0 * norm })
  }

  @Test(arguments: [0, 0.3, 0.49, 0.51, 0.9, 1], [0.001, 0.1, 3])
  func `the score lies within the bound of its estimate`(centreNorm: Float, spread: Float) throws {
    let embeddings = try syntheticEmbeddings(60, dimension: Self.dimension, imagesPerSubject: 1).map(\.values)
    let direction = embeddings[0]
    let frame = frame(direction, norm: centreNorm)
    #expect((frame.axis != nil) == (centreNorm >= 0.5))
    let rows = try embeddings.dropFirst().map { noise in
      let values = zip(direction, noise).map { $0 + spread * $1 }
      return try Embedding(values, space: .test(dimension: Self.dimension)).values
    }
    let probes = rows.prefix(8) + embeddings.prefix(4) + [direction.map { -$0 }]
    let quantised = QuantisedProbes(Array(probes), in: frame, kernels: kernels)
    for row in rows {
      let coded = coded(row, in: frame)
      for (index, probe) in probes.enumerated() {
        let placed = quantised[index]
        let codes = quantised.codes[(index * coded.codes.count)..<((index + 1) * coded.codes.count)]
        let product = zip(codes, coded.codes).reduce(0) { $0 + Int($1.0) * Int($1.1) }
        let estimate =
          coded.scale * (placed.scale * Float(product)) + placed.axialFactor * coded.axial + placed.offset
        let slack = placed.errorFactor * coded.error + placed.constant(largestNorm: coded.norm)
        let exact = zip(probe, row).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        #expect(abs(exact - Double(estimate)) <= Double(slack), "centre \(centreNorm), spread \(spread)")
      }
    }
  }

  @Test func `without the common direction the errors of the codes act on what is left of a probe`() throws {
    let references = try SearchTests.nearlyEqual(200, spread: 0.1).map(\.embedding.values)
    let centre = (0..<64).map { index in references.reduce(0) { $0 + $1[index] } / 200 }
    let (plain, axial) = (CodingFrame(dimension: 64), CodingFrame(centre: centre))
    let probes = [plain, axial].map { QuantisedProbes([references[7]], in: $0, kernels: kernels)[0] }
    #expect(probes[0].errorFactor > 1 && probes[0].errorFactor < 1.02)
    #expect(probes[1].errorFactor > 0.09 && probes[1].errorFactor < 0.12)
    #expect(probes[0].axialFactor == 0 && probes[1].axialFactor > 0.99)
  }

  /// What the frame alone errs by, without the codes: the margins are in no test of bounds else, being so much smaller.
  @Test(arguments: [1, 2, 72, 4096], [0, 0.3, 0.9, 1])
  func `the parts of a score add up to it within the frame's margins`(dimension: Int, centreNorm: Float)
    throws
  {
    let embeddings = try syntheticEmbeddings(12, dimension: dimension, imagesPerSubject: 1).map(\.values)
    let frame = frame(embeddings[0], norm: centreNorm)
    let planeDimension = dimension.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    func product(_ a: [Float], _ b: [Float]) -> Double {
      zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }
    var worst = 0.0
    for probe in embeddings {
      let (rest, axialFactor) = frame.place(probe: probe, planeDimension: planeDimension)
      for row in embeddings {
        var coded = [Float](repeating: 0, count: planeDimension)
        let axial = coded.withUnsafeMutableBufferPointer { frame.place(row, in: $0) }
        let parts =
          product(probe, frame.centre) + Double(axial) * Double(axialFactor) + product(rest, coded)
        let norms = (product(rest, rest) * product(coded, coded)).squareRoot()
        let margin = CodingFrame.relativeMargin * norms + (frame.axis == nil ? 0 : CodingFrame.axialMargin)
        worst = max(worst, abs(product(probe, row) - parts) / (margin + 1e-12))
      }
    }
    #expect(worst <= 1)
    // Without them it would not: what is rounded is seen, but for rows that are the centre.
    #expect(dimension < 3 || worst > 1e-3, "\(worst) of the margin")
  }
}
