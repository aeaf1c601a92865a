import Biometrics
import EnrolmentStore
import Testing

extension StoreBehaviour {
  static let lists: [StoreBehaviour] = [
    StoreBehaviour("a session keeps the bits of its embeddings, is enrolled once, and becomes ready") {
      store in
      try await Sample.people(of: store)
      var enrolled = Sample.session("s")
      try await store.commit([.enrol(enrolled)])
      await expect(.conflict) { try await store.commit([.enrol(Sample.session("s"))]) }
      let kept = try #require(try await store.session("s", in: Sample.bank))
      #expect(kept == enrolled)
      #expect(
        kept.embeddings[0].values.map(\.bitPattern) == enrolled.embeddings[0].values.map(\.bitPattern))
      try await store.commit([.ready("s", in: Sample.bank)])
      enrolled.session.preparation = .ready
      #expect(try await store.session("s", in: Sample.bank) == enrolled)
      #expect(try await store.sessions(of: "anna", in: Sample.bank) == [enrolled.session])
      #expect(try await store.session("s", in: Sample.airline) == nil)
    },
    StoreBehaviour("sessions are listed in the order of enrolment, page by page, per organisation") { store in
      try await Sample.people(of: store)
      let ids: [SessionID] = ["s9", "s1", "s5", "s3"]
      for id in ids { try await store.commit([.enrol(Sample.session(id))]) }
      try await store.commit([.enrol(Sample.session("s1", in: Sample.airline))])
      let first = try await store.sessions(in: Sample.bank, after: 0, limit: 3)
      #expect(first.map(\.sequence) == [1, 2, 3])
      #expect(first.map(\.enrolled.session.id) == ["s9", "s1", "s5"])
      let rest = try await store.sessions(in: Sample.bank, after: 3, limit: 3)
      #expect(rest.map(\.enrolled.session.id) == ["s3"])
      #expect(try await store.sessions(in: Sample.bank, after: 4, limit: 3) == [])
      #expect(try await store.sessions(of: "anna", in: Sample.bank).map(\.id) == ids)
      #expect(try await store.sessions(in: Sample.airline, after: 0, limit: 3).count == 1)
    },
    StoreBehaviour("decisions are numbered from 1 without gaps, per organisation, and come back whole") {
      store in
      try await Sample.people(of: store)
      let records = try ["r1", "r2", "r3"].map { try Sample.decision(ReVerificationID($0)) }
      try await store.commit([.decision(records[0]), .decision(records[1])])
      try await store.commit([.decision(Sample.decision("x", of: Sample.airline))])
      try await store.commit([.decision(records[2])])
      let all = try await store.decisions(of: Sample.bank, after: 0, limit: 10)
      #expect(all.map(\.sequence) == [1, 2, 3])
      #expect(all.map(\.record) == records)
      #expect(try await store.decisions(of: Sample.bank, after: 1, limit: 1).map(\.record) == [records[1]])
      #expect(try await store.decisions(of: Sample.airline, after: 0, limit: 10).map(\.sequence) == [1])
    },
  ]

  static let commits: [StoreBehaviour] = [
    StoreBehaviour("a re-verification is stored only over the revision it was made from") { store in
      try await Sample.people(of: store)
      let first = Sample.reVerification("r", state: [1], revision: 0)
      try await store.commit([.reVerification(first)])
      #expect(try await store.reVerification("r") == Sample.reVerification("r", state: [1], revision: 1))
      await expect(.conflict) { try await store.commit([.reVerification(first)]) }
      await expect(.conflict) {
        try await store.commit([.reVerification(Sample.reVerification("r", state: [3], revision: 2))])
      }
      try await store.commit([.reVerification(Sample.reVerification("r", state: [2], revision: 1))])
      #expect(try await store.reVerification("r") == Sample.reVerification("r", state: [2], revision: 2))
      await expect(.conflict) {
        try await store.commit([.reVerification(Sample.reVerification("new", state: [1], revision: 1))])
      }
    },
    StoreBehaviour("a failure counter is stored only over the revision it was made from") { store in
      try await Sample.people(of: store)
      var counter = try await store.failures(of: "anna", in: Sample.bank)
      counter.addFailure(
        of: "r", at: Sample.noon,
        policy: try LockOutPolicy(
          failures: 1, window: .seconds(180), duration: .seconds(60)))
      try await store.commit([.failures(counter)])
      let stored = try await store.failures(of: "anna", in: Sample.bank)
      #expect(stored.lockOut == counter.lockOut && stored.revision == 1)
      #expect(stored.lockOut?.until == Sample.noon + .seconds(60))
      let stale = counter
      await expect(.conflict) { try await store.commit([.failures(stale)]) }
      try await store.commit([.failures(stored)])
      #expect(try await store.failures(of: "anna", in: Sample.bank).revision == 2)
      #expect(try await store.failures(of: "anna", in: Sample.airline).revision == 0)
    },
    StoreBehaviour("a commit whose last change fails leaves no trace of the others") { store in
      try await Sample.people(of: store)
      try await store.commit([
        .balance(Credits(10), of: Sample.bank), .enrol(Sample.session("s")),
        .apiKey(APIKey(id: "key", secret: "one", organisation: Sample.bank)),
        .reVerification(Sample.reVerification("r", state: [1], revision: 0)),
        .decision(Sample.decision("r")),
      ])
      let changes: [StoreChange] = try [
        .organisation(Organisation(id: "rail")), .workflow(Sample.workflow("payout")),
        .user(Sample.user("anna", "new@example.com")), .user(Sample.user("bert", "anna@example.com")),
        .apiKey(APIKey(id: "key", secret: "two", organisation: Sample.bank)),
        .charge(Credits(1), to: Sample.bank), .enrol(Sample.session("s2")), .ready("s", in: Sample.bank),
        .failures(FailureCounter(organisation: Sample.bank, user: "anna")), .decision(Sample.decision("r2")),
        .reVerification(Sample.reVerification("r", state: [2], revision: 1)),
      ]
      await expect(.conflict) {
        try await store.commit(
          changes + [.reVerification(Sample.reVerification("r", state: [3], revision: 1))])
      }
      #expect(try await store.organisations().map(\.id) == [Sample.airline, Sample.bank])
      #expect(try await store.workflow("payout", in: Sample.bank) == nil)
      #expect(try await store.user("bert", in: Sample.bank) == nil)
      let email = try #require(EmailAddress("anna@example.com"))
      #expect(try await store.user(withEmail: email, in: Sample.bank)?.id == "anna")
      #expect(try await store.apiKey(APIKey.digest(of: "one")) != nil)
      #expect(try await store.apiKey(APIKey.digest(of: "two")) == nil)
      #expect(try await store.balance(of: Sample.bank) == Credits(10))
      #expect(try await store.sessions(of: "anna", in: Sample.bank) == [Sample.session("s").session])
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 9).count == 1)
      #expect(try await store.failures(of: "anna", in: Sample.bank).revision == 0)
      #expect(try await store.decisions(of: Sample.bank, after: 0, limit: 9).count == 1)
      #expect(try await store.reVerification("r")?.state == [1])
      // The same changes without the failing one are good, so that each of them was really undone.
      try await store.commit(changes)
      #expect(try await store.user(withEmail: email, in: Sample.bank)?.id == "bert")
    },
    StoreBehaviour("of many commits made from one revision exactly one is kept") { store in
      try await Sample.people(of: store)
      try await store.commit([.balance(Credits(100), of: Sample.bank)])
      let kept = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<32 {
          group.addTask {
            let state = Sample.reVerification("r", state: [UInt8(number)], revision: 0)
            do {
              try await store.commit([.charge(Credits(1), to: Sample.bank), .reVerification(state)])
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(kept == 1)
      #expect(try await store.balance(of: Sample.bank) == Credits(99))
      #expect(try await store.reVerification("r")?.revision == 1)
    },
  ]
}
