import Foundation

/// Looks for many traces in one pass over a file.
struct TraceSearch {
  private struct Pattern {
    let bytes: Data
    let trace: Int
  }

  /// How many first bytes patterns are looked up by; shorter ones are looked for one by one.
  private static let startBytes = 8
  private var byStart: [UInt64: [Pattern]] = [:]
  private var short: [Pattern] = []
  /// Whether a pattern begins with these two bytes.
  private var isStart = [Bool](repeating: false, count: 1 << 16)

  init(_ traces: [ErasureTrace]) {
    for (index, trace) in traces.enumerated() {
      for bytes in trace.patterns {
        let pattern = Pattern(bytes: bytes, trace: index)
        guard bytes.count >= Self.startBytes else {
          short.append(pattern)
          continue
        }
        let start = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        byStart[start, default: []].append(pattern)
        isStart[Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })] = true
      }
    }
  }

  /// Where each trace that is in `content` is first found, by its index.
  func firstOffsets(in content: Data) -> [Int: Int] {
    var found: [Int: Int] = [:]
    for pattern in short {
      guard let range = content.range(of: pattern.bytes) else { continue }
      let offset = range.lowerBound - content.startIndex
      found[pattern.trace] = min(offset, found[pattern.trace] ?? offset)
    }
    content.withUnsafeBytes { bytes in
      isStart.withUnsafeBufferPointer { isStart in
        var offset = 0
        while offset + Self.startBytes <= bytes.count {
          if isStart[Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))] {
            for trace in traces(in: bytes, at: offset) {
              found[trace] = min(offset, found[trace] ?? offset)
            }
          }
          offset += 1
        }
      }
    }
    return found
  }

  private func traces(in bytes: UnsafeRawBufferPointer, at offset: Int) -> [Int] {
    guard let patterns = byStart[bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)] else {
      return []
    }
    return patterns.filter { pattern in
      let end = offset + pattern.bytes.count
      return end <= bytes.count && bytes[offset..<end].elementsEqual(pattern.bytes)
    }.map(\.trace)
  }
}
