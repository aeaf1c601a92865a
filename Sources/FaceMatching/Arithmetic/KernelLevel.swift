import CFaceKernels

/// An instruction set that the native kernels can use. Every level gives the same bits; they differ in speed only.
public enum KernelLevel: String, CaseIterable, Sendable {
  /// Plain C.
  case scalar
  /// AVX2 and FMA (x86-64).
  case avx2
  /// AVX-512 F, BW, DQ and VL (x86-64).
  case avx512
  /// AVX-512 with the 8-bit dot product instructions (x86-64).
  case vnni
  /// VNNI and the 8-bit tiles of AMX (x86-64).
  case amx
  /// Advanced SIMD (arm64).
  case neon

  var code: fk_level {
    switch self {
    case .scalar: .FK_LEVEL_SCALAR
    case .avx2: .FK_LEVEL_AVX2
    case .avx512: .FK_LEVEL_AVX512
    case .vnni: .FK_LEVEL_VNNI
    case .amx: .FK_LEVEL_AMX
    case .neon: .FK_LEVEL_NEON
    }
  }

  /// Whether this processor and this build have the level.
  public var isAvailable: Bool { fk_kernels_at(code) != nil }

  /// The levels of this processor, lowest first; `scalar` is always among them.
  public static var available: [KernelLevel] { allCases.filter(\.isAvailable) }

  /// The best level of this processor.
  public static var highest: KernelLevel {
    allCases.first { $0.code == fk_highest_level() } ?? .scalar
  }
}

/// A level was asked for that can't be used here.
public struct KernelSelectionError: Error, Equatable, CustomStringConvertible {
  public enum Code: Equatable, Sendable {
    /// No level has this name.
    case unknownLevel(String)
    /// The processor, or this build, has not got the level.
    case absentLevel(KernelLevel)
  }

  public let code: Code

  public init(code: Code) {
    self.code = code
  }

  public var description: String {
    let available = KernelLevel.available.map(\.rawValue).joined(separator: ", ")
    return switch code {
    case .unknownLevel(let name): "no SIMD level is called '\(name)'; this processor has: \(available)"
    case .absentLevel(let level):
      "the SIMD level '\(level.rawValue)' is absent on this processor, which has: \(available)"
    }
  }
}

/// The processor that this process runs on.
public enum Processor {
  /// Its name as it gives it, for reports.
  public static let name = String(cString: fk_processor_name())
}
