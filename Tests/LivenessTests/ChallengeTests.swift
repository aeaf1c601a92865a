import Biometrics
import Liveness
import Synchronization
import Testing

@Suite("Challenges")
struct ChallengeTests {
  private let issuer = ChallengeIssuer(key: [UInt8](repeating: 7, count: 32))
  private let now = Instant(millisecondsSince1970: 1_700_000_000_000)

  private func nonce(_ number: Int) -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) ^ $0) }
  }

  @Test("key, identifier and nonce alone give the schedule again, colours and time of issue included")
  func derivation() {
    for number in 0..<200 {
      let issued = issuer.issue(nonce: nonce(number), withColours: number % 2 == 0, at: now)
      #expect(issuer.challenge(id: issued.id, nonce: issued.nonce) == issued)
      #expect(issued.flashes.isEmpty == (number % 2 == 1))
    }
  }

  @Test("a nonce and an attempt have one schedule, whenever it is issued; another attempt has another")
  func noChoiceOfSchedules() {
    let first = issuer.issue(nonce: nonce(1), at: now)
    for milliseconds in [1, 2, 60_000, 86_400_000] {
      let again = issuer.issue(nonce: nonce(1), at: now + .milliseconds(milliseconds))
      #expect(again.stages == first.stages && again.flashes == first.flashes)
      #expect(again.id != first.id && again.expiry == first.expiry + .milliseconds(milliseconds))
      #expect(issuer.challenge(id: again.id, nonce: again.nonce) == again)
    }
    let all = (0...255).map { issuer.issue(nonce: nonce(1), attempt: $0, at: now) }
    #expect(all.map(\.attempt) == Array(0...255))
    #expect(Set(all.map(\.stages)).count == 256 && Set(all.map(\.flashes)).count > 250)
  }

  @Test("a challenge that is issued again is used up with the first")
  func reissued() {
    let used = UsedChallenges()
    #expect(used.use(issuer.issue(nonce: nonce(6), at: now), answer: [1], at: now))
    let again = issuer.issue(nonce: nonce(6), at: now + .seconds(1))
    #expect(!used.use(again, answer: [2], at: now + .seconds(1)))
    let next = issuer.issue(nonce: nonce(6), attempt: 1, at: now + .seconds(1))
    #expect(used.use(next, answer: [2], at: now + .seconds(1)))
  }

  @Test("colours are shown unless they are turned off")
  func coloursByDefault() {
    #expect(!issuer.issue(nonce: nonce(8), at: now).flashes.isEmpty)
    #expect(issuer.issue(nonce: nonce(8), withColours: false, at: now).flashes.isEmpty)
  }

  @Test("an identifier that was changed, or made by another key, is none of this issuer's")
  func forgery() {
    let issued = issuer.issue(nonce: nonce(1), at: now)
    for index in issued.id.indices {
      var id = issued.id
      id[index] ^= 1
      #expect(issuer.challenge(id: id, nonce: issued.nonce) == nil)
    }
    #expect(issuer.challenge(id: issued.id, nonce: nonce(2)) == nil)
    let other = ChallengeIssuer(key: [UInt8](repeating: 8, count: 32))
    #expect(other.challenge(id: issued.id, nonce: issued.nonce) == nil)
    #expect(issuer.challenge(id: [], nonce: []) == nil)
  }

  @Test("every schedule asks for an approach, inside the picture, at times that leave room")
  func ranges() {
    for number in 0..<2000 {
      let stages = issuer.issue(nonce: nonce(number), at: now).stages
      #expect(stages.count == 3)
      #expect((0.28...0.42).contains(stages[0].width))
      #expect((0.36...0.70).contains(stages[1].width))
      #expect((0.56...0.82).contains(stages[2].width))
      #expect(stages[2].width >= 1.75 * stages[0].width - 1e-12)
      #expect(stages[0].start == 0)
      #expect((1000...1667).contains(stages[1].start))
      #expect((2333...3000).contains(stages[2].start))
      for stage in stages {
        #expect(stage.centreX.magnitude + stage.width / 2 <= 0.48 + 1e-12)
        #expect(stage.centreY.magnitude <= 0.10)
      }
    }
  }

  @Test("colours never follow themselves, and flash less than three times a second")
  func colours() {
    for number in 0..<500 {
      let flashes = issuer.issue(nonce: nonce(number), withColours: true, at: now).flashes
      #expect(flashes.count == 6)
      for (earlier, later) in zip(flashes, flashes.dropFirst()) {
        #expect(earlier.colour != later.colour)
        #expect(later.start - earlier.start >= 334)
      }
    }
  }

  @Test("a client learns no stage before it is revealed")
  func reveal() {
    let challenge = issuer.issue(nonce: nonce(3), withColours: true, at: now)
    for count in 0...3 {
      let text = challenge.presentation(stages: count)
      for (index, stage) in challenge.stages.enumerated() {
        #expect(text.contains("\"w\":\(stage.width),") == (index < count))
      }
    }
  }

  @Test("of many that use a challenge at once exactly one may")
  func singleUse() async {
    let used = UsedChallenges()
    let challenge = issuer.issue(nonce: nonce(4), at: now)
    let allowed = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<64 { group.addTask { used.use(challenge, answer: [UInt8(index)], at: self.now) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(allowed == 1)
    #expect(!used.use(challenge, answer: [99], at: now + .seconds(119)))
  }

  @Test("the same answer again is no second use")
  func sameAnswer() {
    let used = UsedChallenges()
    let challenge = issuer.issue(nonce: nonce(5), at: now)
    #expect(used.use(challenge, answer: [1, 2], at: now))
    #expect(used.use(challenge, answer: [1, 2], at: now))
    #expect(!used.use(challenge, answer: [1, 3], at: now))
  }

  @Test("used challenges are forgotten once they have expired")
  func forgetting() {
    let used = UsedChallenges()
    for number in 0..<100 {
      #expect(used.use(issuer.issue(nonce: nonce(number), at: now), answer: [], at: now))
    }
    #expect(used.count == 100)
    let later = now + .seconds(300)
    #expect(used.use(issuer.issue(nonce: nonce(200), at: later), answer: [], at: later))
    #expect(used.count == 1)
  }
}
