import FaceMatching
import Glibc
import TestSupport
import Testing

@Suite struct KernelSelectionTests {
  @Test func `the best level is taken when none is asked for`() throws {
    #expect(try Kernels.selected(by: nil).level == .highest)
    #expect(try Kernels.selected(by: "").level == .highest)
    #expect(KernelLevel.available.contains(.scalar))
    #expect(KernelLevel.available.contains(.highest))
  }

  @Test func `a level is forced by its name`() throws {
    for level in KernelLevel.available { #expect(try Kernels.selected(by: level.rawValue).level == level) }
  }

  @Test func `an unknown or absent level is an error that lists what there is`() throws {
    #expect(throws: KernelSelectionError(code: .unknownLevel("sse9"))) { try Kernels.selected(by: "sse9") }
    for level in KernelLevel.allCases where !level.isAvailable {
      let error = #expect(throws: KernelSelectionError(code: .absentLevel(level))) {
        try Kernels.selected(by: level.rawValue)
      }
      #expect(error.map { "\($0)".contains("scalar") } == true)
    }
  }

  @Test func `a process that is forced to an absent level stops with the reason`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      setenv(Kernels.environmentVariable, "sse9", 1)
      _ = try Embedding([1, 2], space: .test(dimension: 2))
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(text.contains("REVERIFY_SIMD: no SIMD level is called 'sse9'"))
  }

  @Test func `a gallery refuses what it can't be`() throws {
    do {
      _ = try Gallery(space: .test(dimension: 2), configuration: .init(threadCount: 0))
      Issue.record("it was made")
    } catch { #expect(error.code == .threadCount(0)) }
    for level in KernelLevel.allCases where !level.isAvailable {
      do {
        _ = try Gallery(space: .test(dimension: 2), configuration: .init(level: level))
        Issue.record("it was made")
      } catch { #expect(error.code == .kernels(KernelSelectionError(code: .absentLevel(level)))) }
    }
  }

  @Test(
    .enabled("libopenblas-dev is not installed") {
      if case .success = OpenBLAS.shared { true } else { false }
    })
  func `OpenBLAS has kernels of this processor and one thread`() throws {
    let blas = try OpenBLAS.shared.get()
    #expect(!blas.coreName.isEmpty)
    if KernelLevel.avx512.isAvailable, getenv("OPENBLAS_CORETYPE") == nil {
      #expect(["SkylakeX", "Cooperlake", "SapphireRapids", "Zen"].contains(blas.coreName))
    }
  }
}
