/// Lets work on one thing happen one after the other, in the order it came; work on different things doesn't wait.
struct Turns<Key: Hashable & Sendable> {
  private struct Line {
    var length = 0
    /// Ends when the last in line is through.
    var end: Task<Void, Never>?
  }

  private var lines: [Key: Line] = [:]

  /// Takes the next turn for `key`: `work` begins when all earlier turns have ended. Each is to be left afterwards.
  mutating func take<Value: Sendable>(
    for key: Key, _ work: @escaping @Sendable () async -> Value
  ) -> Task<Value, Never> {
    let before = lines[key]?.end
    let turn = Task.detached {
      await before?.value
      return await work()
    }
    lines[key, default: Line()].length += 1
    lines[key]?.end = Task.detached { _ = await turn.value }
    return turn
  }

  /// Notes that a turn for `key` has ended; the last one takes the line with it.
  mutating func leave(_ key: Key) {
    lines[key]?.length -= 1
    if lines[key]?.length == 0 { lines[key] = nil }
  }
}
