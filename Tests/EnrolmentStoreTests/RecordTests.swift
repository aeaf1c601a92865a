import Biometrics
import EnrolmentStore
import Foundation
import TestSupport
import Testing

@Suite("Records")
struct RecordTests {
  @Test("a digest is BLAKE2b-256, as other implementations compute it")
  func knownDigest() {
    // Python's hashlib.blake2b(b"abc", digest_size=32).
    #expect(
      Digest(of: Array("abc".utf8)).description
        == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
  }

  @Test("a digest is read from 64 hexadecimal digits and from nothing else")
  func digestText() {
    let digest = Digest(of: [])
    #expect(Digest(hexadecimal: digest.description) == digest)
    #expect(Digest(hexadecimal: digest.description.uppercased()) == digest)
    #expect(Digest(hexadecimal: String(digest.description.dropLast())) == nil)
    #expect(Digest(hexadecimal: digest.description.dropLast() + "g") == nil)
  }

  @Test("an API key keeps the digest of its secret, never the secret")
  func secret() throws {
    let key = APIKey(id: "key", secret: "s3cret", organisation: "bank")
    #expect(!"\(key)".contains("s3cret"))
    #expect(!String(decoding: try JSONEncoder().encode(key), as: UTF8.self).contains("s3cret"))
    #expect(key.digest != Digest(of: Array("s3cret".utf8)))
  }

  @Test("an API key may re-verify when it is live, valid and permitted to, and only then")
  func permission() {
    #expect(APIKey(id: "k", secret: "s", organisation: "b").mayReVerify)
    #expect(!APIKey(id: "k", secret: "s", organisation: "b", environment: .sandbox).mayReVerify)
    #expect(!APIKey(id: "k", secret: "s", organisation: "b", status: .revoked).mayReVerify)
    #expect(!APIKey(id: "k", secret: "s", organisation: "b", permissions: []).mayReVerify)
  }

  @Test("an embedding handed in shows none of its values")
  func embeddingPrivacy() {
    let embedding = UncheckedEmbedding([0.12345, 0.6789], space: .test(dimension: 2), quality: 0.5)
    var dumped = ""
    dump([embedding], to: &dumped)
    for text in ["\(embedding)", "\([embedding])", String(reflecting: embedding), dumped] {
      #expect(!text.contains("0.12") && !text.contains("0.67"))
    }
  }

  @Test("five failures in three minutes lock out for thirty, the sixth starts anew")
  func lockOut() {
    let start = Instant(millisecondsSince1970: 0)
    var counter = FailureCounter(organisation: "bank", user: "anna")
    for second in 0..<4 {
      counter.addFailure(of: "r", at: start + .seconds(second), policy: .standard)
      #expect(counter.lockOut == nil)
    }
    let fifth = start + .seconds(179)
    counter.addFailure(of: "r2", at: fifth, policy: .standard)
    #expect(counter.lockOut?.until == fifth + .seconds(1800))
    #expect(counter.lockOut?.cause == "r2")
    #expect(counter.lockOut(at: fifth) != nil)
    #expect(counter.lockOut(at: fifth + .milliseconds(1_799_999)) != nil)
    #expect(counter.lockOut(at: fifth + .seconds(1800)) == nil)
    #expect(counter.failures == [])
  }

  @Test("a failure exactly the window ago no longer counts, one a millisecond later does")
  func lockOutWindow() {
    let start = Instant(millisecondsSince1970: 0)
    for (delay, isLockedOut) in [(180_000, false), (179_999, true)] {
      var counter = FailureCounter(organisation: "bank", user: "anna")
      for _ in 0..<4 { counter.addFailure(of: "r", at: start, policy: .standard) }
      counter.addFailure(of: "r", at: start + .milliseconds(delay), policy: .standard)
      #expect((counter.lockOut != nil) == isLockedOut)
    }
  }

  @Test("a success forgets the failures but lifts no lock-out, and no policy never locks out")
  func clearing() throws {
    let now = Instant(millisecondsSince1970: 0)
    var counter = FailureCounter(organisation: "bank", user: "anna")
    for _ in 0..<4 { counter.addFailure(of: "r", at: now, policy: .standard) }
    counter.clearFailures()
    for _ in 0..<4 { counter.addFailure(of: "r", at: now, policy: .standard) }
    #expect(counter.lockOut == nil)
    for _ in 0..<300 { counter.addFailure(of: "r", at: now, policy: nil) }
    #expect(counter.lockOut == nil && counter.failures.count == 100)
    counter.addFailure(of: "r", at: now, policy: .standard)
    counter.clearFailures()
    #expect(counter.lockOut(at: now) != nil)
  }

  @Test("credits saturate instead of overflowing")
  func credits() {
    #expect(Credits(.min) - Credits(1) == Credits(.min))
    #expect(Credits(.max) - Credits(-1) == Credits(.max))
    #expect(Credits(2) - Credits(5) == Credits(-3))
  }
}
