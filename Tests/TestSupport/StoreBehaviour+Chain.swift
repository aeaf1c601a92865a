import Biometrics
import EnrolmentStore
import Testing

extension StoreBehaviour {
  static let chains: [StoreBehaviour] = [
    StoreBehaviour("decisions are chained per organisation, and the chain is found intact") { store in
      try await Sample.people(of: store)
      await expect(.missing) { _ = try await store.chainHead(of: "nobody") }
      await expect(.missing) { _ = try await store.audit(of: "nobody", noted: nil) }
      guard case .intact(let empty) = try await store.audit(of: Sample.bank, noted: nil) else {
        Issue.record("an empty chain is broken")
        return
      }
      #expect(empty.sequence == 0)
      for id in ["r1", "r2", "r2"] { try await store.commit([.decision(Sample.decision(.init(id)))]) }
      try await store.commit([.decision(Sample.decision("r1", of: Sample.airline))])
      let head = try await store.chainHead(of: Sample.bank)
      #expect(head.sequence == 3)
      #expect(try await store.audit(of: Sample.bank, noted: nil) == .intact(head))
      #expect(try await store.audit(of: Sample.bank, noted: empty) == .intact(head))
      #expect(try await store.audit(of: Sample.bank, noted: head) == .intact(head))
      let values = try await store.decisions(of: Sample.bank, after: 0, limit: 9).map(\.chain)
      #expect(values.last == head.value)
      // Equal records have different values, and so have equal places in two organisations.
      let other = try await store.decisions(of: Sample.airline, after: 0, limit: 9).map(\.chain)
      #expect(Set(values + other).count == 4)
      // The records of an organisation that has gone can be audited still.
      try await store.commit([Sample.erasure(.organisation)])
      #expect(try await store.audit(of: Sample.bank, noted: head) == .intact(head))
    },
    StoreBehaviour("a head of another organisation, or made up, is not taken for one noted earlier") {
      store in
      try await Sample.people(of: store)
      try await store.commit([
        .decision(Sample.decision("r")), .decision(Sample.decision("r", of: Sample.airline)),
      ])
      let foreign = try await store.chainHead(of: Sample.airline)
      #expect(try await store.audit(of: Sample.bank, noted: foreign) == .broken(ChainFault(.head, at: 1)))
      let head = try await store.chainHead(of: Sample.bank)
      let forged = ChainHead(sequence: 1, value: Digest(of: [1]), seal: head.seal)
      #expect(try await store.audit(of: Sample.bank, noted: forged) == .broken(ChainFault(.head, at: 1)))
    },
    StoreBehaviour("a session is refused or ready as was said last, and the gallery's version follows") {
      store in
      #expect(try await store.galleryVersion() == .empty)
      try await Sample.people(of: store)
      #expect(try await store.galleryVersion() == .empty)
      var versions: [GalleryVersion] = []
      let changes: [StoreChange] = [
        .enrol(Sample.session("s")), .enrol(Sample.session("t")), .ready("s", in: Sample.bank),
        .refused("t", in: Sample.bank), .ready("t", in: Sample.bank), Sample.erasure(.session("t")),
        Sample.erasure(.user("anna")),
      ]
      for change in changes {
        try await store.commit([change])
        versions.append(try await store.galleryVersion())
      }
      #expect(Set(versions).count == changes.count)
      #expect(versions.map(\.changes) == [1, 2, 3, 4, 5, 6, 7])
      try await store.commit([Sample.erasure(.user("anna"))])
      #expect(try await store.galleryVersion() == versions.last)
    },
    StoreBehaviour("sessions still in preparation are listed in order until ready or refused") { store in
      try await Sample.people(of: store)
      for id in ["s3", "s1", "s2"] { try await store.commit([.enrol(Sample.session(SessionID(id)))]) }
      #expect(
        try await store.preparingSessions(in: Sample.bank, limit: 2).map(\.enrolled.session.id) == [
          "s3", "s1",
        ])
      try await store.commit([.ready("s3", in: Sample.bank), .refused("s2", in: Sample.bank)])
      #expect(try await store.preparingSessions(in: Sample.bank, limit: 9).map(\.sequence) == [2])
      #expect(try await store.lastSession(in: Sample.bank) == 3)
      #expect(try await store.lastSession(in: Sample.airline) == 0)
      try await store.commit([Sample.erasure(.session("s2"))])
      #expect(try await store.lastSession(in: Sample.bank) == 3)
      try await store.commit([.enrol(Sample.session("s4"))])
      #expect(try await store.lastSession(in: Sample.bank) == 4)
    },
    StoreBehaviour(
      "captures that were seen are kept in order, replaced by name, and forgotten from their expiry on"
    ) {
      store in
      func seen(_ name: UInt8, _ content: UInt8, expiry: Int64) -> SeenCapture {
        SeenCapture(name: [name], expiry: Sample.noon + .milliseconds(expiry), content: [content, content])
      }
      try await store.commit([.captureSeen(seen(1, 1, expiry: 5)), .captureSeen(seen(2, 2, expiry: 9))])
      try await store.commit([.captureSeen(seen(3, 3, expiry: 7)), .captureSeen(seen(1, 4, expiry: 8))])
      let all = try await store.seenCaptures(after: 0, limit: 9)
      #expect(all.map(\.capture) == [seen(2, 2, expiry: 9), seen(3, 3, expiry: 7), seen(1, 4, expiry: 8)])
      #expect(try await store.seenCaptures(after: all[0].sequence, limit: 1) == [all[1]])
      try await store.commit([.forgetCaptures(expiredAt: Sample.noon + .milliseconds(8))])
      #expect(try await store.seenCaptures(after: 0, limit: 9) == [all[0]])
      await expect(.missing) {
        try await store.commit([.captureSeen(seen(7, 7, expiry: 9)), .ready("none", in: Sample.bank)])
      }
      #expect(try await store.seenCaptures(after: 0, limit: 9) == [all[0]])
    },
    StoreBehaviour("a session that was refused says so") { store in
      try await Sample.people(of: store)
      try await store.commit([.enrol(Sample.session("s2")), .refused("s2", in: Sample.bank)])
      #expect(try await store.session("s2", in: Sample.bank)?.session.preparation == .refused)
    },
  ]
}
