import EnrolmentStore
import Testing

@Suite("Secret keys")
struct SecretKeyTests {
  @Test("a keyed digest is BLAKE2b-256 under the key, as other implementations compute it")
  func knownDigest() throws {
    // Python's hashlib.blake2b(b"abc", digest_size=32, key=bytes(range(32))).
    let key = try #require(SecretKey(Array(0..<32)))
    #expect(
      key.keyedDigest(of: Array("abc".utf8)).description
        == "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f")
  }

  @Test("keys of two purposes, or from two keys, differ, and the same are the same")
  func derivation() throws {
    let key = SecretKey.random()
    let digests = [key.derived(for: [1]), key.derived(for: [2]), SecretKey.random().derived(for: [1])]
      .map { $0.keyedDigest(of: []) }
    #expect(Set(digests).count == 3)
    #expect(key.derived(for: [1]).keyedDigest(of: []) == digests[0])
  }

  @Test("a key is 32 bytes and shows none of them")
  func privacy() throws {
    #expect(SecretKey([1, 2, 3]) == nil)
    let key = try #require(SecretKey([UInt8](repeating: 0xAB, count: 32)))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.lowercased().contains("ab") && !text.contains("171"))
    }
  }
}
