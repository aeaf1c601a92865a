import Biometrics
import CFaceKernels
import Testing

/// A level under test.
struct Level: Sendable, Equatable, CustomTestStringConvertible {
  let code: fk_level
  let testDescription: String

  static let scalar = Level(code: .FK_LEVEL_SCALAR, testDescription: "scalar")
  static let avx2 = Level(code: .FK_LEVEL_AVX2, testDescription: "avx2")
  static let avx512 = Level(code: .FK_LEVEL_AVX512, testDescription: "avx512")
  static let vnni = Level(code: .FK_LEVEL_VNNI, testDescription: "vnni")
  static let amx = Level(code: .FK_LEVEL_AMX, testDescription: "amx")
  static let neon = Level(code: .FK_LEVEL_NEON, testDescription: "neon")

  /// Those that this processor has; the others are printed once, so that a log shows what was not tested.
  static let available: [Level] = {
    let all = [scalar, avx2, avx512, vnni, amx, neon]
    let absent = all.filter { !$0.isPresent }
    let processor = String(cString: fk_processor_name())
    print(
      "kernel levels not reached on \(processor): \(absent.map(\.testDescription).joined(separator: ", "))")
    return all.filter(\.isPresent)
  }()

  var isPresent: Bool { fk_kernels_at(code) != nil }

  var kernels: fk_kernels { fk_kernels_at(code)!.pointee }
}

/// The lengths and misalignments that trip kernels.
enum Awkward {
  static let lengths = [
    0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 512, 513,
  ]

  /// Elements between an aligned place and the first one.
  static let shifts = 0...3
}

/// Kinds of rows: what people have, and what breaks arithmetic.
enum RowKind: CaseIterable {
  case ordinary, integers, wide, denormal, huge, zeros, tiny, spiky

  func row(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
    (0..<count).map { index in
      let unit = Double.random(in: -1...1, using: &generator)
      return switch self {
      case .ordinary: Float(unit)
      case .integers: Float((16 * unit).rounded())
      case .wide:
        Float(Double(sign: .plus, exponent: Int.random(in: -100...100, using: &generator), significand: unit))
      case .denormal: Float(1e-39 * unit)
      case .huge: Float(3.4e38 * unit)
      case .zeros: unit < 0 ? -0.0 : 0.0
      case .tiny: Float(1e-36 * unit)
      case .spiky: index == 5 ? 1 : Float(1e-4 * unit)
      }
    }
  }
}

/// Where two arrays first differ, or nil: a failure should not print thousands of numbers.
func firstDifference<Element: Equatable>(_ found: [Element], _ expected: [Element]) -> Int? {
  zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    ?? (found.count == expected.count ? nil : min(found.count, expected.count))
}

/// The bits of a number, one pattern for every NaN: whose NaN comes out is not promised.
func bits(_ value: Float) -> UInt32 { value.isNaN ? Float.nan.bitPattern : value.bitPattern }
