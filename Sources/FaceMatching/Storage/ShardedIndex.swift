import Biometrics

/// From a key to the enrolment numbers of its references, ascending.
///
/// In many small parts with a lock each, so that neither a growing table nor a writer holds up a reader.
final class ShardedIndex<Key: Hashable & Sendable>: Sendable {
  private final class Shard: Sendable {
    let numbers = Guarded<[Key: [UInt64]]>([:])
  }

  private let shards: [Shard] = (0..<256).map { _ in Shard() }

  private func shard(of key: Key) -> Shard {
    shards[Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % UInt(shards.count))]
  }

  func numbers(of key: Key) -> [UInt64] {
    shard(of: key).numbers.withLock { $0[key] ?? [] }
  }

  /// Adds `number`, which is above all others of the key.
  func append(_ number: UInt64, to key: Key) {
    shard(of: key).numbers.withLock { $0[key, default: []].append(number) }
  }

  func remove(_ number: UInt64, from key: Key) {
    shard(of: key).numbers.withLock { table in
      table[key]?.removeAll { $0 == number }
      if table[key]?.isEmpty == true { table[key] = nil }
    }
  }
}
