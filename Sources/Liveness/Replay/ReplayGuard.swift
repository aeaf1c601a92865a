import Biometrics

/// What is remembered of one capture: keyed codes of its motion and when they occur, no landmarks and no identity.
public struct RememberedCapture: Hashable, Sendable, Codable {
  /// Names what the capture came with.
  public let submission: [UInt8]
  public let expiry: Instant
  public let values: [UInt64]
  /// Milliseconds since the first frame, one for each value.
  public let times: [Double]

  public init(submission: [UInt8], expiry: Instant, values: [UInt64], times: [Double]) {
    self.submission = submission
    self.expiry = expiry
    self.values = values
    self.times = times
  }
}

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
    var captures: [(number: UInt64, memory: RememberedCapture)] = []
    /// By the submissions' names.
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

  /// True unless `capture` is a copy of one seen before; it is remembered from now on either way.
  ///
  /// `submission` names what it came with. A capture is no copy of itself when the same submission is judged again, since a
  /// decision may have been lost; in any other submission the very same capture is a copy.
  public func admit(_ capture: Capture, as submission: [UInt8], at now: Instant) -> Bool {
    examine(capture, as: submission, at: now).isNew
  }

  /// The same, with what is remembered of it from now on, for keeping; `nil` when the submission was known.
  public func examine(
    _ capture: Capture, as submission: [UInt8], at now: Instant
  ) -> (isNew: Bool, remembered: RememberedCapture?) {
    let fingerprint = fingerprinter.fingerprint(of: capture)
    return state.withLock { state in
      expire(&state, at: now)
      let own = state.numbers[submission]
      let isCopy = [fingerprint.codes, fingerprint.mirrored].contains { matches($0, except: own, in: state) }
      guard own == nil else { return (!isCopy, nil) }
      let remembered = RememberedCapture(
        submission: submission, expiry: now + memory, values: fingerprint.codes.map(\.value),
        times: fingerprint.codes.map(\.time))
      Self.remember(remembered, in: &state)
      return (!isCopy, remembered)
    }
  }

  /// Takes up what an earlier process remembered, the oldest first. What has as many values as times and is not known
  /// yet is taken.
  public func restore(_ captures: [RememberedCapture]) {
    state.withLock { state in
      for capture in captures
      where capture.values.count == capture.times.count && state.numbers[capture.submission] == nil {
        Self.remember(capture, in: &state)
      }
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

  private static func remember(_ capture: RememberedCapture, in state: inout State) {
    let number = state.next
    state.next += 1
    for (value, time) in zip(capture.values, capture.times) {
      state.entries[value, default: []].append(Entry(capture: number, time: time))
    }
    state.numbers[capture.submission] = number
    state.captures.append((number, capture))
  }

  private func expire(_ state: inout State, at now: Instant) {
    let old = state.captures.prefix { $0.memory.expiry <= now }.count
    let drop = max(old, state.captures.count - capacity + 1)
    guard drop > 0 else { return }
    for capture in state.captures.prefix(drop) {
      for value in capture.memory.values {
        let kept = state.entries[value]?.filter { $0.capture != capture.number } ?? []
        state.entries[value] = kept.isEmpty ? nil : kept
      }
    }
    let dropped = Set(state.captures.prefix(drop).map(\.number))
    state.numbers = state.numbers.filter { !dropped.contains($0.value) }
    state.captures.removeFirst(drop)
  }
}
