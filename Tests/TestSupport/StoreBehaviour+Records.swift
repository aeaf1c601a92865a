import Biometrics
import EnrolmentStore
import Testing

extension StoreBehaviour {
  static let records: [StoreBehaviour] = [
    StoreBehaviour("an empty store holds nothing, and says so without error") { store in
      let organisations = try await store.organisations()
      #expect(organisations == [])
      #expect(try await store.workflow("onboarding", in: Sample.bank) == nil)
      #expect(try await store.user("anna", in: Sample.bank) == nil)
      #expect(try await store.apiKey(APIKey.digest(of: "secret")) == nil)
      #expect(try await store.balance(of: Sample.bank) == nil)
      #expect(try await store.session("s", in: Sample.bank) == nil)
      #expect(try await store.sessions(of: "anna", in: Sample.bank) == [])
      #expect(try await store.sessions(in: Sample.bank, after: 0, limit: 10) == [])
      #expect(try await store.reVerification("r") == nil)
      #expect(try await store.decisions(of: Sample.bank, after: 0, limit: 10) == [])
      let counter = FailureCounter(organisation: Sample.bank, user: "anna")
      #expect(try await store.failures(of: "anna", in: Sample.bank) == counter)
    },
    StoreBehaviour("a workflow is replaced as a whole, and is its organisation's own") { store in
      try await Sample.people(of: store)
      var workflow = try Sample.workflow("onboarding")
      workflow.status = .inactive
      workflow.reVerification = .off
      workflow.price = Credits(7)
      workflow.policy = try Sample.policy(attempts: 10)
      try await store.commit([.workflow(workflow)])
      #expect(try await store.workflow("onboarding", in: Sample.bank) == workflow)
      let other = try Sample.workflow("onboarding", of: Sample.airline)
      #expect(try await store.workflow("onboarding", in: Sample.airline) == other)
    },
    StoreBehaviour("a user is found by e-mail however it is written, in their own organisation only") {
      store in
      try await Sample.people(of: store)
      try await store.commit([.user(Sample.user("bert", "Bert@Example.com"))])
      let email = try #require(EmailAddress(" bert@EXAMPLE.com "))
      #expect(try await store.user(withEmail: email, in: Sample.bank)?.id == "bert")
      #expect(try await store.user(withEmail: email, in: Sample.airline) == nil)
      #expect(try await store.user("bert", in: Sample.airline) == nil)
    },
    StoreBehaviour("identifiers that differ only in how a letter is composed name two users") { store in
      try await Sample.people(of: store)
      let composed = UserID("jos\u{E9}")
      let decomposed = UserID("jose\u{301}")
      #expect(composed != decomposed)
      try await store.commit([
        .user(User(id: composed, organisation: Sample.bank, email: EmailAddress("a@example.com")!))
      ])
      #expect(try await store.user(decomposed, in: Sample.bank) == nil)
      try await store.commit([
        .user(User(id: decomposed, organisation: Sample.bank, email: EmailAddress("b@example.com")!)),
        .enrol(Sample.session("s", of: composed)),
      ])
      #expect(try await store.sessions(of: decomposed, in: Sample.bank) == [])
      #expect(try await store.sessions(of: composed, in: Sample.bank).count == 1)
    },
    StoreBehaviour("two users of an organisation can't share an e-mail, those of two can") { store in
      try await Sample.people(of: store)
      await expect(.emailTaken) { try await store.commit([.user(Sample.user("bert", "ANNA@example.com"))]) }
      #expect(try await store.user("bert", in: Sample.bank) == nil)
      #expect(try await store.user("anna", in: Sample.airline) != nil)
    },
    StoreBehaviour("a changed e-mail frees the old one") { store in
      try await Sample.people(of: store)
      try await store.commit([.user(Sample.user("anna", "new@example.com"))])
      let old = try #require(EmailAddress("anna@example.com"))
      #expect(try await store.user(withEmail: old, in: Sample.bank) == nil)
      try await store.commit([.user(Sample.user("bert", "anna@example.com"))])
      #expect(try await store.user(withEmail: old, in: Sample.bank)?.id == "bert")
    },
    StoreBehaviour("an API key is found by the digest of its secret, and a replaced secret no longer") {
      store in
      try await Sample.people(of: store)
      let key = APIKey(id: "key", secret: "one", organisation: Sample.bank, permissions: [])
      try await store.commit([.apiKey(key)])
      #expect(try await store.apiKey(APIKey.digest(of: "one")) == key)
      let replaced = APIKey(
        id: "key", secret: "two", organisation: Sample.bank, environment: .sandbox, status: .revoked)
      try await store.commit([.apiKey(replaced)])
      #expect(try await store.apiKey(APIKey.digest(of: "one")) == nil)
      #expect(try await store.apiKey(APIKey.digest(of: "two")) == replaced)
    },
    StoreBehaviour("two API keys can't have one secret, nor one key two organisations") { store in
      try await Sample.people(of: store)
      try await store.commit([.apiKey(APIKey(id: "key", secret: "one", organisation: Sample.bank))])
      await expect(.conflict) {
        try await store.commit([.apiKey(APIKey(id: "other", secret: "one", organisation: Sample.bank))])
      }
      await expect(.conflict) {
        try await store.commit([.apiKey(APIKey(id: "key", secret: "two", organisation: Sample.airline))])
      }
    },
    StoreBehaviour("a balance may be absent, fall below zero, and be lifted again") { store in
      try await Sample.people(of: store)
      try await store.commit([.charge(Credits(5), to: Sample.bank)])
      #expect(try await store.balance(of: Sample.bank) == nil)
      try await store.commit([.balance(Credits(3), of: Sample.bank), .charge(Credits(5), to: Sample.bank)])
      #expect(try await store.balance(of: Sample.bank) == Credits(-2))
      try await store.commit([.balance(nil, of: Sample.bank)])
      #expect(try await store.balance(of: Sample.bank) == nil)
    },
    StoreBehaviour("what refers to a missing record is refused") { store in
      await expect(.missing) { try await store.commit([.workflow(Sample.workflow("onboarding"))]) }
      await expect(.missing) { try await store.commit([.user(Sample.user("anna", "anna@example.com"))]) }
      await expect(.missing) { try await store.commit([.balance(Credits(1), of: Sample.bank)]) }
      await expect(.missing) { try await store.commit([.decision(Sample.decision("r"))]) }
      await expect(.missing) {
        try await store.commit([.apiKey(APIKey(id: "key", secret: "one", organisation: Sample.bank))])
      }
      try await Sample.people(of: store)
      await expect(.missing) { try await store.commit([.enrol(Sample.session("s", of: "nobody"))]) }
      await expect(.missing) { try await store.commit([.enrol(Sample.session("s", on: "nothing"))]) }
      await expect(.missing) { try await store.commit([.ready("s", in: Sample.bank)]) }
    },
  ]
}
