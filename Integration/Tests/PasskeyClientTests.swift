import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonJSON
import TenonTestSupport
import Testing

/// Passkeys, from the client's calls to the embedded backend, with an authenticator in the test.
@Suite(.limited) struct PasskeyClientTests {
  private func withAuth(_ body: (Auth) async throws -> Void) async throws {
    let app = try App.configure(
      name: "passkeys-\(UUID())",
      options: AppOptions(projectID: "demo-passkeys", backend: .embedded(directory: nil), data: .memory))
    do {
      try Embedded.embedded(app: app).settings.fastPasswordHashing = true
      try await body(try Auth.auth(app: app))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  /// Enrolls a passkey of the current user.
  private func enroll(_ user: User, _ authenticator: SoftwareAuthenticator, name: String?) async throws {
    let request = try await user.startPasskeyEnrollment(withName: name)
    let options = try JSON(parsing: request.json)
    let answer = try authenticator.enroll(["credentialCreationOptions": options]).serialized
    try await user.finalizePasskeyEnrollment(
      withPlatformCredential: try PasskeyRegistration(request, json: answer))
  }

  @Test func aPasskeyIsEnrolledSignsInAndIsRemoved() async throws {
    try await withAuth { auth in
      let authenticator = try SoftwareAuthenticator()
      let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
      let request = try await user.startPasskeyEnrollment(withName: "Laptop")
      #expect(request.relyingPartyIdentifier == "localhost" && request.userName == "ada@example.com")
      #expect(request.userID == Data(user.uid.utf8) && request.challenge.count == 33)
      try await enroll(user, authenticator, name: "Laptop")
      #expect(user.enrolledPasskeys.map(\.name) == ["Laptop"])
      try await auth.signOut()

      let assertionRequest = try await auth.startPasskeySignIn()
      let options = try JSON(parsing: assertionRequest.json)
      let answer = try authenticator.signIn(["credentialRequestOptions": options]).serialized
      let assertion = try PasskeyAssertion(json: answer)
      let result = try await auth.finalizePasskeySignIn(withPlatformCredential: assertion)
      #expect(result.user.uid == user.uid && auth.currentUser?.uid == user.uid)
      #expect(try await result.user.getIDTokenResult().signInProvider == "passkey")
      // The answer is used up.
      let error = await #expect(throws: AuthError.self) {
        try await auth.finalizePasskeySignIn(withPlatformCredential: assertion)
      }
      #expect(error?.code == .invalidAuthenticatorResponse && auth.currentUser?.uid == user.uid)

      let id = try #require(result.user.enrolledPasskeys.first?.credentialID)
      try await result.user.unenrollPasskey(withCredentialID: id)
      #expect(result.user.enrolledPasskeys == [])
      let next = try JSON(parsing: try await auth.startPasskeySignIn().json)
      let late = try PasskeyAssertion(
        json: try authenticator.signIn(["credentialRequestOptions": next]).serialized)
      let unknown = await #expect(throws: AuthError.self) {
        try await auth.finalizePasskeySignIn(withPlatformCredential: late)
      }
      #expect(unknown?.code == .passkeyEnrollmentNotFound)
    }
  }

  @Test func aPasskeyOfAnotherUserIsNotEnrolledAgain() async throws {
    try await withAuth { auth in
      let authenticator = try SoftwareAuthenticator()
      try await enroll(try await auth.signInAnonymously().user, authenticator, name: nil)
      #expect(auth.currentUser?.enrolledPasskeys.map(\.name) == ["Unnamed Passkey"])
      let other = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
      let error = await #expect(throws: AuthError.self) {
        try await enroll(other, authenticator, name: nil)
      }
      #expect(error?.code == .credentialAlreadyInUse)
    }
  }

  @Test(arguments: ["", "[]", "{\"id\": \"AA\"}", "{\"id\": \"AA\", \"response\": {\"clientDataJSON\": 1}}"])
  func whatIsNoAnswerOfABrowserIsNamed(json: String) async throws {
    let error = #expect(throws: AuthError.self) { try PasskeyAssertion(json: Data(json.utf8)) }
    #expect(error?.code == .argumentError && error?.message.contains("credential.toJSON()") == true)
  }
}
