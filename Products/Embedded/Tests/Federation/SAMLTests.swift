import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// Signing in with SAML, in the Auth emulator's form.
@Suite(.limited) struct SAMLTests {
  private let backend = Backend()

  private func signIn(_ response: String?, token: String? = #"{"sub":"s1"}"#) async throws -> (
    status: Int, json: JSON
  ) {
    var body = "providerId=saml.acme"
    if let token { body += "&id_token=\(token)" }
    if let response { body += "&SAMLResponse=\(response)" }
    return try await backend.call(
      "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
  }

  @Test func theAttributesOfAnAssertionAreInEveryTokenOfTheSession() async throws {
    let attributes: JSON = ["name": "Ada", "role": "admin"]
    let session = try await signIn(
      #"{"assertion":{"subject":{"nameId":"Ada@example.com"},"attributeStatements":{"name":"Ada","role":"admin"}}}"#
    )
    #expect(session.status == 200)
    #expect(session.json["email"] == "Ada@example.com" && session.json["emailVerified"] == true)
    let text = try #require(session.json["rawUserInfo"]?.string)
    #expect(try JSON(parsing: Data(text.utf8)) == attributes)
    let claims = try session.json.token("idToken").claims
    #expect(claims["firebase"]?["sign_in_attributes"] == attributes && claims["email"] == "ada@example.com")
    #expect(claims["role"] == nil)
    let refreshed = try await backend.refresh(session.json["refreshToken"]).json.token("id_token")
    #expect(refreshed.claims["firebase"]?["sign_in_attributes"] == attributes)
    // Another way to sign in has none.
    let other = try await backend.call(
      "accounts:signInWithCustomToken",
      [
        "token": .string(#"{"uid":"\#(session.json["localId"]?.string ?? "")"}"#)
      ])
    #expect(try other.json.token("idToken").claims["firebase"]?["sign_in_attributes"] == nil)
  }

  @Test func anAssertionNeedsNoIDToken() async throws {
    let response = #"{"assertion":{"subject":{"nameId":"user-7"}}}"#
    let first = try await signIn(response, token: nil)
    #expect(first.json["isNewUser"] == true && first.json["email"] == nil && first.json["rawUserInfo"] == nil)
    #expect(first.json["federatedId"] == "user-7")
    let second = try await signIn(response, token: nil)
    #expect(second.json["localId"] == first.json["localId"] && second.json["isNewUser"] == false)
  }

  @Test func theSizeOfAnAssertionIsLimited() async throws {
    func response(_ count: Int) -> String {
      #"{"assertion":{"subject":{"nameId":"u"},"attributeStatements":"\#(String(repeating: "a", count: count))"}}"#
    }
    let room = SAMLAssertion.largest - response(0).utf8.count
    #expect(try await signIn(response(room)).status == 200)
    let error = try await signIn(response(room + 1)).json.errorMessage
    #expect(error == "INVALID_IDP_RESPONSE : ((The SAMLResponse has more than 65536 bytes.))")
  }

  @Test(arguments: [
    ("{}", "assertion"), (#"{"assertion":{}}"#, "assertion.subject"),
    (#"{"assertion":{"subject":{}}}"#, "assertion.subject.nameId"),
    (#"{"assertion":{"subject":{"nameId":7}}}"#, "assertion.subject.nameId"),
  ])
  func anIncompleteAssertionIsRefused(response: String, missing: String) async throws {
    let (status, json) = try await signIn(response)
    #expect(status == 400)
    #expect(json.errorMessage == "INVALID_IDP_RESPONSE : ((Missing \(missing) in SAMLResponse.))")
  }
}
