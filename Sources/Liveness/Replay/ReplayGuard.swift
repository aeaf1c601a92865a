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
  /// A copy shares at least so many codes, and so large a share of the fewer.
  private static let minimumMatches = 6
  private static let minimumShare = 0.15
  /// They are spread over so large a part of it, in parts of 0.3 s: other people's captures are alike in one place at most.
  private static let minimumSpread = 0.5
  private static let minimumParts = 3
  private static let part = 300.0

  public init(key: [UInt8], memory: Duration = .seconds(30 * 86400), capacity: Int = 100_000) {
    self.memory = memory
    self.capacity = capacity
    fingerprinter = ReplayFingerprinter(key: key)
  }

  /// How many captures are remembered.
  public var count: Int { state.withLock { $0.captures.count } }

  /// True unless `capture` is a copy of one seen before, at any speed; it is remembered from now on either way.
  ///
  /// `submission` names what it came with. A capture is no copy of itself when the same submission is judged again, since a
  /// decision may have been lost; in any other submission the very same capture is a copy.
  public func admit(_ capture: Capture, as submission: [UInt8], at now: Instant) -> Bool {
    examine(capture, as: submission, at: now).isNew && !isStretchedCopy(capture, as: submission)
  }

  /// Whether `capture` is one seen before that is played at 0.8 to 1.25 times its speed. Remembers nothing. Some milliseconds:
  /// worth asking of what would pass else.
  public func isStretchedCopy(_ capture: Capture, as submission: [UInt8]) -> Bool {
    let isAlone = state.withLock { $0.captures.count - ($0.numbers[submission] == nil ? 0 : 1) == 0 }
    guard !isAlone else { return false }
    let fingerprints = fingerprinter.fingerprints(of: capture)
    return state.withLock { state in
      let own = state.numbers[submission]
      return fingerprints.contains { fingerprint in
        [fingerprint.codes, fingerprint.mirrored].contains {
          matches($0, perFrame: ReplayFingerprinter.startsPerFrame, except: own, in: state)
        }
      }
    }
  }

  /// Whether `capture` is new but for its speed, with what is remembered of it from now on, for keeping; `nil` when the
  /// submission was known.
  public func examine(
    _ capture: Capture, as submission: [UInt8], at now: Instant
  ) -> (isNew: Bool, remembered: RememberedCapture?) {
    let fingerprint = fingerprinter.fingerprint(of: capture)
    return state.withLock { state in
      expire(&state, at: now)
      let own = state.numbers[submission]
      let isCopy = [fingerprint.codes, fingerprint.mirrored].contains {
        matches($0, perFrame: 1, except: own, in: state)
      }
      guard own == nil else { return (!isCopy, nil) }
      let remembered = RememberedCapture(
        submission: submission, expiry: now + memory, values: fingerprint.codes.map(\.value),
        times: fingerprint.codes.map(\.time))
      Self.remember(remembered, in: &state)
      return (!isCopy, remembered)
    }
  }

  /// Takes up what an earlier process remembered, the oldest first. What has as many values as times and is not known
  /// yet is taken; of too many the oldest go.
  public func restore(_ captures: [RememberedCapture]) {
    state.withLock { state in
      for capture in captures
      where capture.values.count == capture.times.count && state.numbers[capture.submission] == nil {
        Self.remember(capture, in: &state)
      }
      Self.drop(state.captures.count - capacity, from: &state)
    }
  }

  /// Whether enough codes, `perFrame` of a frame, are those of one earlier capture at one shift in time.
  private func matches(
    _ codes: [ReplayFingerprint.Code], perFrame: Int, except own: UInt64?, in state: State
  ) -> Bool {
    var hits: [UInt64: [(shift: Double, time: Double)]] = [:]
    for code in codes {
      for entry in state.entries[code.value] ?? [] where entry.capture != own {
        hits[entry.capture, default: []].append((code.time - entry.time, entry.time))
      }
    }
    let ownParts = Self.parts(codes.map(\.time))
    return hits.contains { number, hits in
      guard hits.count >= Self.minimumMatches, let first = state.captures.first?.number else { return false }
      let times = state.captures[Int(number - first)].memory.times
      let fewer = min(codes.count / perFrame, times.count)
      let needed = max(Self.minimumMatches, Int((Self.minimumShare * Double(fewer)).rounded(.up)))
      let parts = max(
        Self.minimumParts, Int((Self.minimumSpread * Double(min(ownParts, Self.parts(times)))).rounded(.up)))
      return Self.agrees(hits.sorted { $0.shift < $1.shift }, codes: needed, parts: parts)
    }
  }

  /// Whether `hits`, ascending by their shift, hold so many different codes of so many parts at about one shift.
  private static func agrees(_ hits: [(shift: Double, time: Double)], codes: Int, parts: Int) -> Bool {
    var end = 0
    var last = -1
    for start in hits.indices {
      while end < hits.count, hits[end].shift - hits[start].shift <= 2 * tolerance { end += 1 }
      // What ends where the one before did is a part of it.
      guard end > last else { continue }
      last = end
      let times = Set(hits[start..<end].map(\.time))
      if times.count >= codes, Self.parts(Array(times)) >= parts { return true }
    }
    return false
  }

  private static func parts(_ times: [Double]) -> Int { Set(times.map { Int($0 / part) }).count }

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
    Self.drop(max(old, state.captures.count - capacity + 1), from: &state)
  }

  /// Forgets the oldest `count`, none where it is not positive.
  private static func drop(_ count: Int, from state: inout State) {
    guard count > 0 else { return }
    for capture in state.captures.prefix(count) {
      for value in capture.memory.values {
        let kept = state.entries[value]?.filter { $0.capture != capture.number } ?? []
        state.entries[value] = kept.isEmpty ? nil : kept
      }
      state.numbers[capture.memory.submission] = nil
    }
    state.captures.removeFirst(count)
  }
}
