import Biometrics
import LivenessTraining
import Testing

@testable import Liveness

@Suite("Replays across captures")
struct ReplayTests {
  private let key = [UInt8](repeating: 3, count: 32)
  private let now = Instant(millisecondsSince1970: 1_700_000_000_000)
  private static let count = Fixtures.isLong ? 500 : 4

  private func live(_ subject: Int, _ index: Int = 0) -> Capture {
    Fixtures.simulator.capture(.bonaFide, subject: subject, index: index).capture
  }

  /// A copy with all times later, or with the first frames cut off, so that the rest is earlier.
  private func shifted(_ capture: Capture, cutting frames: Int) -> Capture {
    var copy = capture
    copy.frames.removeFirst(frames)
    copy.landmarks.removeFirst(frames * 136)
    for index in copy.frames.indices {
      copy.frames[index].sequence = index
      copy.frames[index].time += 123.4
    }
    return copy
  }

  private func scaled(_ capture: Capture) -> Capture {
    var copy = capture
    copy.landmarks = copy.landmarks.map { ($0 - 0.5) * 0.83 + 0.55 }
    return copy
  }

  private func mirrored(_ capture: Capture) -> Capture {
    var copy = capture
    for frame in copy.frames.indices {
      for index in frame * 136..<frame * 136 + 68 { copy.landmarks[index] = 1 - copy.landmarks[index] }
    }
    return copy
  }

  /// With white noise of 0.2 % of the inter-ocular distance on every coordinate.
  private func noisy(_ capture: Capture, seed: UInt64) -> Capture {
    var copy = capture
    var generator = SeededGenerator(seed: seed)
    for frame in copy.frames.indices {
      let base = frame * 136
      let points = copy.landmarks[base..<base + 136]
      func eye(_ a: Int, _ b: Int) -> (Float, Float) {
        (
          (points[base + a] + points[base + b]) / 2, (points[base + 68 + a] + points[base + 68 + b]) / 2
        )
      }
      let (left, right) = (eye(36, 39), eye(42, 45))
      let (dx, dy) = (left.0 - right.0, left.1 - right.1)
      let sigma = 0.002 * (dx * dx + dy * dy).squareRoot()
      for index in base..<base + 136 { copy.landmarks[index] += sigma * generator.nextNearlyNormal() }
    }
    return copy
  }

  /// Played at another speed: each time as much later, or its motion sampled at another camera's times.
  private func stretched(_ capture: Capture, by factor: Double, resampled: Bool, seed: UInt64) -> Capture {
    var copy = capture
    if resampled {
      var generator = SeededGenerator(seed: seed)
      let (times, interval) = (capture.frames.map(\.time), Double.random(in: 36...70, using: &generator))
      copy.frames = []
      copy.landmarks = []
      var (time, earlier) = (times[0] + Double.random(in: 0...interval, using: &generator), 0)
      while time < times[times.count - 1] {
        while times[earlier + 1] <= time { earlier += 1 }
        let share = Float((time - times[earlier]) / (times[earlier + 1] - times[earlier]))
        var frame = capture.frames[earlier]
        (frame.sequence, frame.time) = (copy.frames.count, time)
        copy.frames.append(frame)
        for offset in 0..<136 {
          let (from, to) = (
            capture.landmarks[earlier * 136 + offset], capture.landmarks[(earlier + 1) * 136 + offset]
          )
          copy.landmarks.append(from + (to - from) * share)
        }
        time += interval
      }
    }
    for index in copy.frames.indices { copy.frames[index].time *= factor }
    return copy
  }

  private let first: [UInt8] = [1]
  private let second: [UInt8] = [2]

  @Test("the same submission judged again is no copy; the very same capture in another submission is one")
  func again() {
    let replays = ReplayGuard(key: key)
    #expect(replays.admit(live(0), as: first, at: now))
    #expect(replays.admit(live(0), as: first, at: now))
    #expect(replays.count == 1)
    #expect(!replays.admit(live(0), as: second, at: now))
    #expect(!replays.admit(live(0), as: second, at: now))
    #expect(replays.count == 2)
  }

  @Test("a chain that was copied from an earlier capture makes no copy new")
  func copiedChain() {
    let replays = ReplayGuard(key: key)
    #expect(replays.admit(live(0), as: first, at: now))
    var copy = shifted(live(0), cutting: 3)
    copy.chain = live(0).chain
    #expect(!replays.admit(copy, as: second, at: now))
  }

  @Test("what an earlier process remembered is known again")
  func restored() throws {
    let before = ReplayGuard(key: key)
    let (isNew, remembered) = before.examine(live(0), as: first, at: now)
    let kept = try #require(remembered)
    #expect(isNew && kept.submission == first && kept.expiry == now + before.memory)
    #expect(before.examine(live(0), as: first, at: now).remembered == nil)

    let after = ReplayGuard(key: key)
    after.restore([kept, kept, RememberedCapture(submission: [9], expiry: now, values: [1], times: [])])
    #expect(after.count == 1)
    #expect(after.admit(live(0), as: first, at: now))
    #expect(!after.admit(live(0), as: second, at: now))
    #expect(after.admit(live(1), as: [3], at: now))
  }

  @Test("of more captures than fit the newest are taken up, in pages of any size")
  func restoredWithinCapacity() throws {
    let before = ReplayGuard(key: key)
    let kept = try (0..<7).map { subject in
      try #require(before.examine(live(subject), as: [UInt8(subject)], at: now).remembered)
    }
    func restored(page: Int) -> ReplayGuard {
      let replays = ReplayGuard(key: key, capacity: 3)
      for start in stride(from: 0, to: kept.count, by: page) {
        replays.restore(Array(kept[start..<min(start + page, kept.count)]))
        #expect(replays.count <= 3)
      }
      return replays
    }
    for page in [1, 2, 7] {
      // A new one takes the place of the oldest.
      for (subject, isNew) in [(0, true), (3, true), (5, false), (6, false)] {
        let replays = restored(page: page)
        #expect(replays.count == 3)
        #expect(replays.admit(live(subject), as: [100], at: now) == isNew, "page \(page), capture \(subject)")
        #expect(replays.count == 3)
      }
      // One that was dropped is remembered anew under its own name, too.
      #expect(restored(page: page).examine(live(0), as: [0], at: now).remembered == kept[0])
    }
  }

  @Test("copies are flagged: the same, shifted in time, scaled and moved, mirrored, or with 0.2 % of noise")
  func copies() {
    let flagged = (0..<Self.count).map { subject -> [Bool] in
      let capture = live(subject)
      let copies = [
        capture, shifted(capture, cutting: 7), scaled(capture), mirrored(capture),
        noisy(capture, seed: UInt64(subject)),
        noisy(scaled(shifted(capture, cutting: 4)), seed: UInt64(subject) + 1000),
      ]
      return copies.map { copy in
        let replays = ReplayGuard(key: key)
        #expect(replays.admit(capture, as: first, at: now))
        return !replays.admit(copy, as: second, at: now)
      }
    }
    for kind in 0..<6 {
      let count = flagged.count { $0[kind] }
      print("replay copies of kind \(kind): \(count) of \(flagged.count) flagged")
      #expect(count == flagged.count, "kind \(kind)")
    }
  }

  /// Bug: a copy whose times were 5 % longer was no copy.
  @Test("copies that are played faster or slower are flagged, sampled anew and with 0.2 % of noise too")
  func stretchedCopies() {
    let factors = Fixtures.isLong ? [0.8, 0.9, 0.95, 1.05, 1.1, 1.2] : [0.8, 1.05]
    let count = Fixtures.isLong ? 100 : 2
    for resampled in [false, true] {
      for factor in factors {
        let flagged = (0..<count).count { subject in
          let (replays, capture) = (ReplayGuard(key: key), live(subject))
          #expect(replays.admit(capture, as: first, at: now))
          let copy = stretched(capture, by: factor, resampled: resampled, seed: UInt64(subject))
          return !replays.admit(noisy(copy, seed: UInt64(subject) + 7), as: second, at: now)
        }
        print("replay copies × \(factor)\(resampled ? ", resampled" : ""): \(flagged) of \(count) flagged")
        #expect(flagged >= (resampled ? count * 9 / 10 : count))
      }
    }
  }

  @Test("other captures, of the same people too, are admitted")
  func others() {
    let replays = ReplayGuard(key: key)
    var refused = 0
    for index in 0..<3 {
      for subject in 0..<Self.count {
        let submission = [UInt8(index), UInt8(subject & 255), UInt8(subject >> 8)]
        refused += replays.admit(live(subject, index), as: submission, at: now) ? 0 : 1
      }
    }
    print("captures taken for copies: \(refused) of \(3 * Self.count)")
    #expect(refused == 0)
    #expect(replays.count == 3 * Self.count)
  }

  @Test("captures are forgotten in time, and the oldest when there are too many")
  func forgetting() {
    let replays = ReplayGuard(key: key, memory: .seconds(60), capacity: 3)
    #expect(replays.admit(live(0), as: [0], at: now))
    #expect(!replays.admit(live(0), as: [1], at: now + .seconds(59)))
    #expect(replays.admit(live(1), as: [2], at: now + .seconds(200)))
    #expect(replays.count == 1)
    #expect(replays.admit(live(0), as: [3], at: now + .seconds(201)))
    for subject in 2..<6 {
      #expect(replays.admit(live(subject), as: [UInt8(10 + subject)], at: now + .seconds(202)))
    }
    #expect(replays.count == 3)
    #expect(replays.admit(live(0), as: [4], at: now + .seconds(203)))
  }

  @Test("codes depend on the key, so that stores of two keys can't be compared")
  func keyed() {
    let capture = live(0)
    let own = ReplayFingerprinter(key: key).fingerprint(of: capture)
    let other = ReplayFingerprinter(key: [UInt8](repeating: 4, count: 32)).fingerprint(of: capture)
    #expect(own == ReplayFingerprinter(key: key).fingerprint(of: capture))
    #expect(own.count > 20)
    #expect(own != other)
    #expect(Set(own.codes.map(\.value)).isDisjoint(with: other.codes.map(\.value)))
  }

  @Test("a still capture has no codes, and is no copy of another still one")
  func still() {
    var capture = live(0)
    capture.landmarks = (0..<capture.frames.count).flatMap { _ in capture.landmarks[..<136] }
    let replays = ReplayGuard(key: key)
    #expect(replays.admit(capture, as: first, at: now))
    #expect(replays.admit(capture, as: second, at: now))
  }
}
