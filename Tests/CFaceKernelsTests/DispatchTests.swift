import CFaceKernels
import Testing

@Suite struct DispatchTests {
  @Test func `every row of the table names its own level`() {
    for level in Level.available {
      #expect(level.kernels.level == level.code)
      #expect(String(cString: level.kernels.name).hasPrefix(level.testDescription))
    }
    #expect(Level.available.contains(.scalar))
  }

  @Test func `the highest level is the greatest of those present`() {
    #expect(fk_highest_level().rawValue == Level.available.map(\.code.rawValue).max())
  }

  @Test func `a level needs the lower ones of its processor family`() {
    let x86 = [Level.avx2, .avx512, .vnni, .amx].map(\.isPresent)
    for (lower, higher) in zip(x86, x86.dropFirst()) where higher { #expect(lower) }
    if Level.neon.isPresent { #expect(!x86.contains(true)) }
  }

  @Test func `the core type for OpenBLAS needs no more than the processor has`() {
    let type = fk_openblas_core_type().map { String(cString: $0) }
    if Level.avx512.isPresent {
      #expect(type == "SkylakeX")
    } else if Level.avx2.isPresent {
      #expect(type == "Haswell" || type == "Zen")
    } else {
      #expect(type == nil)
    }
  }

  @Test func `the processor has a name without blanks around it`() {
    let name = String(cString: fk_processor_name())
    #expect(!name.isEmpty && name.first != " " && name.last != " ")
  }
}
