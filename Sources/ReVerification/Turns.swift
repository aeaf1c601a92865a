/// Lets work on one thing happen one after the other, in the order it came; work on different things doesn't wait.
struct Turns<Key: Hashable & Sendable> {
  /// A place in a line.
  struct Turn<Value: Sendable> {
    let key: Key
    let number: UInt64
    let work: Task<Value, Never>
  }

  private var last: [Key: (number: UInt64, ended: Task<Void, Never>)] = [:]
  private var taken: UInt64 = 0

  /// Takes the next turn for `key`; `work` begins when all earlier turns have ended.
  mutating func take<Value: Sendable>(
    for key: Key, _ work: @escaping @Sendable () async -> Value
  ) -> Turn<Value> {
    let before = last[key]?.ended
    let task = Task.detached {
      await before?.value
      return await work()
    }
    taken += 1
    last[key] = (taken, Task.detached { _ = await task.value })
    return Turn(key: key, number: taken, work: task)
  }

  /// Forgets a turn that has ended, if nobody stands behind it.
  mutating func leave<Value>(_ turn: Turn<Value>) {
    if last[turn.key]?.number == turn.number { last[turn.key] = nil }
  }
}
