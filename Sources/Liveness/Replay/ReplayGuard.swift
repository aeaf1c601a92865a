import Biometrics

/// Remembers the fingerprints of captures for a while, and tells when a new one is a copy of an earlier one.
///
/// Holds keyed hashes and times alone: no landmarks, no embeddings, no identity. Safe from any thread.
public final class ReplayGuard: Sendable {
  private struct Entry {
    let capture: UInt64
    let time: Double
  }

  private struct State {
    var entries: [UInt64: [Entry]] = [:]
    /// Captures in the order they came, with their codes.
    var captures: [(number: UInt64, expiry: Instant, codes: [UInt64])] = []
    /// The captures' chains, which are digests of them and of the challenges they answer.
    var numbers: [[UInt8]: UInt64] = [:]
    var next: UInt64 = 0
  }

  /// How long a capture is remembered.
  public let memory: Duration
  /// At most so many are; the oldest go first.
  public let capacity: Int
  private let fingerprinter: ReplayFingerprinter
  private let state = Guarded(State())

  /// Two stretches agree in time within so many milliseconds.
  private static let tolerance = 40.0
  /// A copy shares at least so many codes and so large a share of the fewer.
  private static let minimumMatches = 6
  private static let minimumShare = 0.2

  public init(key: [UInt8], memory: Duration = .seconds(30 * 86400), capacity: Int = 100_000) {
    self.memory = memory
    self.capacity = capacity
    fingerprinter = ReplayFingerprinter(key: key)
  }

  /// How many captures are remembered.
  public var count: Int { state.withLock { $0.captures.count } }

  /// True unless `capture` is a copy of one seen before; it is remembered from now on either way. The very same capture
  /// for the same challenge is no copy, so that a decision that was lost can be made again.
  public func admit(_ capture: Capture, at now: Instant) -> Bool {
    let fingerprint = fingerprinter.fingerprint(of: capture)
    return state.withLock { state in
      expire(&state, at: now)
      let own = state.numbers[capture.chain]
      let isCopy = [fingerprint.codes, fingerprint.mirrored].contains { matches($0, except: own, in: state) }
      if own == nil { remember(fingerprint, chain: capture.chain, in: &state, at: now) }
      return !isCopy
    }
  }

  /// Whether enough codes are those of one earlier capture at one shift in time.
  private func matches(_ codes: [ReplayFingerprint.Code], except own: UInt64?, in state: State) -> Bool {
    var shifts: [UInt64: [Double]] = [:]
    for code in codes {
      for entry in state.entries[code.value] ?? [] where entry.capture != own {
        shifts[entry.capture, default: []].append(code.time - entry.time)
      }
    }
    let needed = max(Self.minimumMatches, Int(Self.minimumShare * Double(codes.count)))
    return shifts.values.contains { shifts in
      guard shifts.count >= needed else { return false }
      let ascending = shifts.sorted()
      return (0...ascending.count - needed).contains {
        ascending[$0 + needed - 1] - ascending[$0] <= 2 * Self.tolerance
      }
    }
  }

  private func remember(
    _ fingerprint: ReplayFingerprint, chain: [UInt8], in state: inout State, at now: Instant
  ) {
    let number = state.next
    state.next += 1
    for code in fingerprint.codes {
      state.entries[code.value, default: []].append(Entry(capture: number, time: code.time))
    }
    state.numbers[chain] = number
    state.captures.append((number, now + memory, fingerprint.codes.map(\.value)))
  }

  private func expire(_ state: inout State, at now: Instant) {
    let old = state.captures.prefix { $0.expiry <= now }.count
    let drop = max(old, state.captures.count - capacity + 1)
    guard drop > 0 else { return }
    for capture in state.captures.prefix(drop) {
      for code in capture.codes {
        let kept = state.entries[code]?.filter { $0.capture != capture.number } ?? []
        state.entries[code] = kept.isEmpty ? nil : kept
      }
    }
    let dropped = Set(state.captures.prefix(drop).map(\.number))
    state.numbers = state.numbers.filter { !dropped.contains($0.value) }
    state.captures.removeFirst(drop)
  }
}
