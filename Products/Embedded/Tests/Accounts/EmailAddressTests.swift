import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct EmailAddressTests {
  private let backend = Backend()
  /// The same address with a composed and with a decomposed letter.
  private let composed = "jos\u{E9}@example.com"
  private let decomposed = "jose\u{301}@example.com"

  @Test(
    arguments: [
      "a\0@example.com", "a b@example.com", "a@exam ple.com", " a@example.com", "a@example.com ",
      "a\t@example.com",
      "a@example.com\r\nBcc: b@example.com", "a\u{1B}@example.com", "a\u{A0}b@example.com",
      "a\u{200B}b@example.com",
      "\u{202E}a@example.com", "a\u{2028}@example.com", "a", "@", "a@", "@a", "a@b@c", "",
      String(repeating: "a", count: 250) + "@example.com",
    ])
  func invalidAddressesAreRejectedEverywhere(text: String) async throws {
    let email = JSON.string(text)
    #expect(EmailAddress.checked(text) == nil)
    for (method, body) in [
      ("accounts:signUp", ["email": email, "password": "lovelace"]),
      ("accounts:signInWithPassword", ["email": email, "password": "lovelace"]),
      ("accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": email]),
      ("accounts:signInWithEmailLink", ["email": email, "oobCode": "x"]),
      ("accounts:createAuthUri", ["identifier": email, "continueUri": "http://localhost"]),
      ("projects/demo/accounts", ["email": email]),
    ] as [(String, JSON)] where !(text.isEmpty && method == "projects/demo/accounts") {
      let headers = method.hasPrefix("projects") ? ["Authorization": "Bearer owner"] : [:]
      #expect(try await backend.call(method, body, headers: headers).status == 400, "\(method)")
    }
    // An import treats an empty address as absent.
    guard !text.isEmpty else { return }
    let users: JSON = ["users": [["localId": "u", "email": email]]]
    #expect(try await backend.administrate("accounts:batchCreate", users).json["error"]?.array?.count == 1)
  }

  /// Accounts, codes, providers and imports compare addresses in the same way.
  @Test func equivalentSpellingsAreOneAddressEverywhere() async throws {
    let (_, first) = try await backend.call(
      "accounts:signUp", ["email": .string(decomposed), "password": "lovelace"])
    #expect(first["email"]?.string?.utf8.elementsEqual(composed.utf8) == true)
    for text in [composed, composed.uppercased()] {
      let (_, second) = try await backend.call(
        "accounts:signUp", ["email": .string(text), "password": "lovelace"])
      #expect(second.errorMessage == "EMAIL_EXISTS")
      let (_, users) = try await backend.administrate("accounts:lookup", ["email": [.string(text)]])
      #expect(users["users"]?.array?.first?["localId"] == first["localId"])
    }
    let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": .string(composed)]
    _ = try await backend.call("accounts:sendOobCode", send)
    let code = try #require(await backend.embedded.accountCodes().last).code
    let (_, user) = try await backend.call(
      "accounts:signInWithEmailLink", ["email": .string(decomposed), "oobCode": .string(code)])
    #expect(user["localId"] == first["localId"] && user["isNewUser"] == false)
  }
}
