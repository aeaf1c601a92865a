import CFaceKernels
import Glibc

/// The native kernels of one level.
public struct Kernels: Sendable {
  /// The environment variable that forces a lower level.
  public static let environmentVariable = "REVERIFY_SIMD"

  public let level: KernelLevel
  // A table that is constant for the life of the process.
  package nonisolated(unsafe) let table: UnsafePointer<fk_kernels>

  /// The kernels of `level`. Throws `.absentLevel` where the processor has not got it.
  public init(level: KernelLevel) throws(KernelSelectionError) {
    guard let table = fk_kernels_at(level.code) else {
      throw KernelSelectionError(code: .absentLevel(level))
    }
    self.level = level
    self.table = table
  }

  /// The level that `setting` names, or the processor's best one for nil or an empty text.
  public static func selected(by setting: String?) throws(KernelSelectionError) -> Kernels {
    guard let setting, !setting.isEmpty else { return try Kernels(level: .highest) }
    guard let level = KernelLevel(rawValue: setting.lowercased()) else {
      throw KernelSelectionError(code: .unknownLevel(setting))
    }
    return try Kernels(level: level)
  }

  /// What `REVERIFY_SIMD` asks for, found once at first use.
  public static let fromEnvironment: Result<Kernels, KernelSelectionError> = {
    let setting = getenv(environmentVariable).map { String(cString: $0) }
    do throws(KernelSelectionError) {
      return .success(try selected(by: setting))
    } catch {
      return .failure(error)
    }
  }()

  /// The kernels for work whose level nobody chose. A `REVERIFY_SIMD` that can't be met stops the process with the
  /// reason; a program that prefers to report it looks at `fromEnvironment` first.
  package static var shared: Kernels {
    switch fromEnvironment {
    case .success(let kernels): kernels
    case .failure(let error): fatalError("\(environmentVariable): \(error)")
    }
  }
}
