import Biometrics
import EnrolmentStore
import Testing

@Suite("E-mail addresses")
struct EmailAddressTests {
  @Test(
    "one mailbox written in several ways is one address",
    arguments: [
      "anna@example.com", " Anna@Example.COM\n", "ANNA@EXAMPLE.COM", "\tanna@example.com ",
    ])
  func normalisation(text: String) {
    #expect(EmailAddress(text)?.normalised == "anna@example.com")
  }

  @Test("composed and decomposed letters are the same, in memory and in bytes")
  func canonicalComposition() throws {
    let composed = try #require(EmailAddress("ren\u{e9}e@caf\u{e9}.example"))
    let decomposed = try #require(EmailAddress("RENE\u{301}E@CAFE\u{301}.example"))
    #expect(composed == decomposed)
    #expect(Array(composed.normalised.utf8) == Array(decomposed.normalised.utf8))
  }

  @Test(
    "addresses with signs, tags, single labels and foreign letters are addresses",
    arguments: [
      "a@b", "first.last+tag@sub.example.co.uk", "o'hara@example.com", "x_y-z@1and1.com", "用户@例え.jp",
      "\(String(repeating: "a", count: 64))@example.com",
    ])
  func accepted(text: String) {
    #expect(EmailAddress(text) != nil)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", " ", "@", "anna", "anna@", "@example.com", "an na@example.com", "anna@exam ple.com",
      "anna@@example.com", "anna@example@com", "anna@.com", "anna@example..com", "anna@-example.com",
      "anna@example-.com", "anna@exa_mple.com", "anna@example.com\u{0}", "an\u{200b}na@example.com",
      "<anna@example.com>", "Anna <anna@example.com>", "anna@example.com, bert@example.com",
      "\(String(repeating: "a", count: 65))@example.com",
      "anna@\(String(repeating: "a.", count: 130))com", "anna@\(String(repeating: "a", count: 64)).com",
    ])
  func refused(text: String) {
    #expect(EmailAddress(text) == nil)
  }

  @Test("an address shows itself in the debug form only")
  func privacy() throws {
    let email = try #require(EmailAddress("anna@example.com"))
    let user = User(id: "u-1", organisation: "bank", email: email)
    #expect(!"\(email) \(user) \([user])".contains("anna"))
    #expect(email.debugDescription == "anna@example.com")
  }
}
