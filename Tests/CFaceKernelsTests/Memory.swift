/// The memory of one test, freed by it: pointers outlive every call, which a value's own storage does not promise.
final class Memory {
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Copies `values` to `shift` elements behind an aligned place, with a guard of `filling` behind their end.
  func place<Element: BitwiseCopyable & Equatable>(
    _ values: [Element], shift: Int, filling: Element
  ) -> Shifted<Element> {
    let capacity = shift + values.count + Shifted<Element>.guardCount
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Element>.stride, alignment: 64)
    blocks.append(block)
    let first = block.bindMemory(to: Element.self, capacity: capacity)
    first.initialize(repeating: filling, count: capacity)
    (first + shift).update(from: values, count: values.count)
    return Shifted(pointer: first + shift, count: values.count, filling: filling)
  }

  func place(_ values: [Float], shift: Int) -> Shifted<Float> { place(values, shift: shift, filling: 12345) }

  func place(_ values: [Int8], shift: Int) -> Shifted<Int8> { place(values, shift: shift, filling: 77) }

  func free() {
    for block in blocks { block.deallocate() }
    blocks = []
  }
}

/// Values in a test's memory.
struct Shifted<Element: BitwiseCopyable & Equatable> {
  static var guardCount: Int { 64 }

  let pointer: UnsafeMutablePointer<Element>
  let count: Int
  let filling: Element

  var values: [Element] { Array(UnsafeBufferPointer(start: pointer, count: count)) }

  /// Whether nothing was written behind the end.
  var isGuardIntact: Bool { (0..<Self.guardCount).allSatisfy { pointer[count + $0] == filling } }
}
