import Biometrics
import EnrolmentStore
import Testing

extension StoreBehaviour {
  static let erasures: [StoreBehaviour] = [
    StoreBehaviour("evidence comes back with its bits, may be replaced, and needs its re-verification") {
      store in
      try await Sample.people(of: store)
      let evidence = Sample.evidence("r")
      await expect(.missing) { try await store.commit([.evidence(evidence)]) }
      try await store.commit([
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(evidence),
      ])
      let kept = try #require(try await store.evidence(of: "r", attempt: 1))
      #expect(kept == evidence)
      #expect(kept.probe[0].values.map(\.bitPattern) == evidence.probe[0].values.map(\.bitPattern))
      let later = Sample.evidence("r", at: Sample.noon + .seconds(1))
      try await store.commit([.evidence(later), .evidence(Sample.evidence("r", attempt: 2))])
      #expect(try await store.evidence(of: "r", attempt: 1) == later)
      #expect(try await store.evidence(of: "r", attempt: 2) == Sample.evidence("r", attempt: 2))
      #expect(try await store.evidence(of: "r", attempt: 3) == nil)
    },
    StoreBehaviour("an erased session is gone, its number and the others stay, and it is not enrolled again")
    { store in
      try await Sample.people(of: store)
      for id in ["s1", "s2", "s3"] { try await store.commit([.enrol(Sample.session(SessionID(id)))]) }
      try await store.commit([Sample.erasure(.session("s2"))])
      #expect(try await store.session("s2", in: Sample.bank) == nil)
      #expect(try await store.sessions(of: "anna", in: Sample.bank).map(\.id) == ["s1", "s3"])
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 9).map(\.sequence) == [1, 3])
      #expect(try await store.sessions(in: Sample.bank, after: 1, limit: 1).map(\.sequence) == [3])
      await expect(.erased) { try await store.commit([.enrol(Sample.session("s2"))]) }
      await expect(.missing) { try await store.commit([.ready("s2", in: Sample.bank)]) }
      try await store.commit([.enrol(Sample.session("s4"))])
      #expect(try await store.sessions(in: Sample.bank, after: 3, limit: 9).map(\.sequence) == [4])
    },
    StoreBehaviour("an erased user is gone with address, sessions, evidence and counter, and so stays") {
      store in
      try await Sample.people(of: store)
      try await store.commit([
        .enrol(Sample.session("s")), .enrol(Sample.session("s", in: Sample.airline)),
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(Sample.evidence("r")),
        .failures(FailureCounter(organisation: Sample.bank, user: "anna")), .decision(Sample.decision("r")),
      ])
      try await store.commit([Sample.erasure(.user("anna"))])
      let email = try #require(EmailAddress("anna@example.com"))
      #expect(try await store.user("anna", in: Sample.bank) == nil)
      #expect(try await store.user(withEmail: email, in: Sample.bank) == nil)
      #expect(try await store.session("s", in: Sample.bank) == nil)
      #expect(try await store.sessions(of: "anna", in: Sample.bank) == [])
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 9) == [])
      #expect(try await store.evidence(of: "r", attempt: 1) == nil)
      #expect(try await store.failures(of: "anna", in: Sample.bank).revision == 0)
      // What holds no biometric data stays.
      #expect(
        try await store.decisions(of: Sample.bank, after: 0, limit: 9).map(\.record) == [Sample.decision("r")]
      )
      #expect(try await store.reVerification("r")?.state == [1])
      // Others are not concerned.
      #expect(try await store.session("s", in: Sample.airline) != nil)
      #expect(try await store.user(withEmail: email, in: Sample.airline)?.id == "anna")
      // A late result of an attempt that ran meanwhile is decided, and leaves nothing behind.
      try await store.commit([
        .reVerification(Sample.reVerification("r", state: [2], revision: 1)), .evidence(Sample.evidence("r")),
        .failures(FailureCounter(organisation: Sample.bank, user: "anna")), .decision(Sample.decision("r")),
      ])
      #expect(try await store.evidence(of: "r", attempt: 1) == nil)
      #expect(try await store.failures(of: "anna", in: Sample.bank).revision == 0)
      await expect(.erased) { try await store.commit([.user(Sample.user("anna", "anna@example.com"))]) }
      await expect(.erased) { try await store.commit([.enrol(Sample.session("s"))]) }
      // The address is free again, for somebody with another identifier.
      try await store.commit([.user(Sample.user("anna-2", "anna@example.com"))])
      #expect(try await store.user(withEmail: email, in: Sample.bank)?.id == "anna-2")
    },
    StoreBehaviour("an erased organisation is gone with all it had but its decisions, and so stays") {
      store in
      try await Sample.people(of: store)
      try await store.commit([
        .enrol(Sample.session("s")), .enrol(Sample.session("s", in: Sample.airline)),
        .balance(Credits(3), of: Sample.bank), .decision(Sample.decision("r")),
        .apiKey(APIKey(id: "key", secret: "one", organisation: Sample.bank)),
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(Sample.evidence("r")),
      ])
      try await store.commit([Sample.erasure(.organisation)])
      #expect(try await store.organisations().map(\.id) == [Sample.airline])
      #expect(try await store.workflow("onboarding", in: Sample.bank) == nil)
      #expect(try await store.user("anna", in: Sample.bank) == nil)
      #expect(try await store.apiKey(APIKey.digest(of: "one")) == nil)
      #expect(try await store.balance(of: Sample.bank) == nil)
      #expect(try await store.session("s", in: Sample.bank) == nil)
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 9) == [])
      #expect(try await store.evidence(of: "r", attempt: 1) == nil)
      #expect(try await store.decisions(of: Sample.bank, after: 0, limit: 9).count == 1)
      #expect(try await store.session("s", in: Sample.airline) != nil)
      await expect(.erased) { try await store.commit([.organisation(Organisation(id: Sample.bank))]) }
      await expect(.erased) { try await store.commit([.user(Sample.user("bert", "bert@example.com"))]) }
      await expect(.erased) { try await store.commit([.enrol(Sample.session("s"))]) }
      // Its key's name and secret may be another organisation's now.
      try await store.commit([.apiKey(APIKey(id: "key", secret: "one", organisation: Sample.airline))])
    },
    StoreBehaviour("erasing evidence leaves everything else, and none of it comes later") { store in
      try await Sample.people(of: store)
      try await store.commit([
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(Sample.evidence("r")),
        .evidence(Sample.evidence("r", attempt: 2)),
      ])
      try await store.commit([Sample.erasure(.evidence("r"))])
      try await store.commit([.evidence(Sample.evidence("r", attempt: 3))])
      for attempt in 1...3 { #expect(try await store.evidence(of: "r", attempt: attempt) == nil) }
      #expect(try await store.reVerification("r") != nil)
    },
    StoreBehaviour("the ledger numbers erasures from 1, once each, and refuses what was never there") {
      store in
      try await Sample.people(of: store)
      try await store.commit([.enrol(Sample.session("s"))])
      for subject: Erasure.Subject in [.session("x"), .user("x"), .evidence("x")] {
        await expect(.missing) { try await store.commit([Sample.erasure(subject)]) }
      }
      await expect(.missing) { try await store.commit([Sample.erasure(.organisation, of: "x")]) }
      #expect(try await store.erasures(after: 0, limit: 9) == [])
      try await store.commit([Sample.erasure(.session("s"))])
      try await store.commit([Sample.erasure(.session("s"), at: Sample.noon + .seconds(9))])
      try await store.commit([Sample.erasure(.user("anna"), of: Sample.airline)])
      try await store.commit([Sample.erasure(.organisation, at: Sample.noon + .seconds(1))])
      try await store.commit([Sample.erasure(.user("anna"))])
      let ledger = try await store.erasures(after: 0, limit: 9)
      #expect(ledger.map(\.sequence) == [1, 2, 3])
      #expect(ledger.map(\.erasure.subject) == [.session("s"), .user("anna"), .organisation])
      #expect(ledger[0].erasure == Erasure(.session("s"), of: Sample.bank, reason: .request, at: Sample.noon))
      #expect(try await store.erasures(after: 1, limit: 1) == [ledger[1]])
    },
    StoreBehaviour("an erasure in a commit that fails erases nothing") { store in
      try await Sample.people(of: store)
      try await store.commit([
        .enrol(Sample.session("s")), .enrol(Sample.session("s2")),
        .apiKey(APIKey(id: "key", secret: "one", organisation: Sample.bank)),
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(Sample.evidence("r")),
        .failures(FailureCounter(organisation: Sample.bank, user: "anna")),
      ])
      let version = try await store.galleryVersion()
      await expect(.missing) {
        try await store.commit([
          Sample.erasure(.session("s")), Sample.erasure(.user("anna")), Sample.erasure(.organisation),
          .ready("x", in: Sample.airline),
        ])
      }
      #expect(try await store.erasures(after: 0, limit: 9) == [])
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 9).map(\.sequence) == [1, 2])
      #expect(try await store.sessions(of: "anna", in: Sample.bank).map(\.id) == ["s", "s2"])
      #expect(try await store.evidence(of: "r", attempt: 1) != nil)
      #expect(try await store.failures(of: "anna", in: Sample.bank).revision == 1)
      #expect(try await store.apiKey(APIKey.digest(of: "one")) != nil)
      #expect(try await store.galleryVersion() == version)
      try await store.commit([.user(Sample.user("anna", "anna@example.com"))])
    },
    StoreBehaviour("past retention is what is as old as the workflow's period or older, evidence too") {
      store in
      try await Sample.people(of: store)
      var workflow = try Sample.workflow("payout")
      workflow.retention = try RetentionPeriod(.seconds(60))
      try await store.commit([
        .workflow(workflow), .enrol(Sample.session("kept")), .enrol(Sample.session("old", on: "payout")),
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)), .evidence(Sample.evidence("r")),
      ])
      let end = Sample.noon + .seconds(60)
      #expect(try await store.pastRetention(in: Sample.bank, at: end - .milliseconds(1), limit: 9) == [])
      #expect(try await store.pastRetention(in: Sample.bank, at: end, limit: 9) == [.session("old")])
      #expect(try await store.pastRetention(in: Sample.airline, at: end, limit: 9) == [])
      var onboarding = try Sample.workflow("onboarding")
      onboarding.retention = try RetentionPeriod(.seconds(60))
      try await store.commit([.workflow(onboarding)])
      let all: [Erasure.Subject] = [.session("kept"), .session("old"), .evidence("r")]
      #expect(try await store.pastRetention(in: Sample.bank, at: end, limit: 9) == all)
      #expect(try await store.pastRetention(in: Sample.bank, at: end, limit: 2) == Array(all.prefix(2)))
      for subject in all { try await store.commit([Sample.erasure(subject)]) }
      #expect(try await store.pastRetention(in: Sample.bank, at: end, limit: 9) == [])
    },
  ]
}
