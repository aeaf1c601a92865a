import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@Suite("The in-memory store")
struct InMemoryStoreTests {
  @Test("behaves as every store does", arguments: StoreBehaviour.all)
  func behaves(as behaviour: StoreBehaviour) async throws {
    try await behaviour.check(InMemoryStore())
  }

  @Test("behaves so behind a store that never fails", arguments: StoreBehaviour.all)
  func behavesBehindFailingStore(as behaviour: StoreBehaviour) async throws {
    try await behaviour.check(FailingStore(InMemoryStore()))
  }

  @Test("a failing store fails the write it was told to, before or after writing")
  func failingStore() async throws {
    let inner = InMemoryStore()
    let store = FailingStore(inner)
    store.failWrite(2, .beforeWriting)
    store.failWrite(3, .afterWriting)
    var failed: [Bool] = []
    for id in ["one", "two", "three", "four"] {
      do {
        try await store.commit([.organisation(Organisation(id: .init(id)))])
        failed.append(false)
      } catch {
        #expect(error.code == .unavailable)
        failed.append(true)
      }
    }
    #expect(failed == [false, true, true, false])
    #expect(Set(inner.organisations().map(\.id)) == ["one", "three", "four"])
    #expect(store.writes == 4)
  }
}
