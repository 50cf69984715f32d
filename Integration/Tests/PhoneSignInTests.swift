import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import Testing

/// Phone numbers, from the client to the embedded backend.
@Suite(.limited) struct PhoneSignInTests {
  private func withAuth(_ body: (Auth, Embedded) async throws -> Void) async throws {
    let app = try App.configure(
      name: "phone-\(UUID())",
      options: AppOptions(projectID: "demo-phone", backend: .embedded(directory: nil), data: .memory))
    do { try await body(try Auth.auth(app: app), try Embedded.embedded(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func credential(
    of number: String = "+15555550100", _ auth: Auth, _ embedded: Embedded
  ) async throws -> AuthCredential {
    let provider = PhoneAuthProvider.provider(auth: auth)
    let verificationID = try await provider.verifyPhoneNumber(number)
    let code = try #require(embedded.phoneCodes().last { $0.sessionInfo == verificationID }).code
    return provider.credential(withVerificationID: verificationID, verificationCode: code)
  }

  @Test func aUserSignsInWithAPhoneNumber() async throws {
    try await withAuth { auth, embedded in
      let result = try await auth.signIn(with: try await credential(auth, embedded))
      #expect(result.additionalUserInfo?.isNewUser == true)
      #expect(result.additionalUserInfo?.providerID == PhoneAuthProvider.id)
      let user = result.user
      #expect(user.phoneNumber == "+15555550100" && !user.isAnonymous)
      #expect(user.providerData.first?.phoneNumber == "+15555550100")
      try await auth.signOut()
      let again = try await auth.signIn(with: try await credential(auth, embedded))
      #expect(again.user == user && again.additionalUserInfo?.isNewUser == false)
      #expect(try await again.user.getIDTokenResult().signInProvider == "phone")
    }
  }

  @Test func aNumberIsLinkedChangedAndUnlinked() async throws {
    try await withAuth { auth, embedded in
      let user = try await auth.signInAnonymously().user
      try await user.link(with: try await credential(auth, embedded))
      #expect(user.phoneNumber == "+15555550100" && !user.isAnonymous)
      try await user.updatePhoneNumber(try await credential(of: "+15555550199", auth, embedded))
      #expect(user.phoneNumber == "+15555550199")
      let twice = try await credential(of: "+15555550111", auth, embedded)
      let linked = await #expect(throws: AuthError.self) { try await user.link(with: twice) }
      #expect(linked?.code == .providerAlreadyLinked)
      let number = try await credential(of: "+15555550199", auth, embedded)
      #expect(try await user.reauthenticate(with: number).user == user)
      try await user.unlink(fromProvider: PhoneAuthProvider.id)
      #expect(user.phoneNumber == nil && user.providerData.isEmpty)
    }
  }

  @Test func theCredentialOfAConflictSignsTheOtherUserIn() async throws {
    try await withAuth { auth, embedded in
      let ada = try await auth.signIn(with: try await credential(auth, embedded)).user
      try await auth.signOut()
      let guest = try await auth.signInAnonymously().user
      let taken = try await credential(auth, embedded)
      let error = await #expect(throws: AuthError.self) { try await guest.link(with: taken) }
      #expect(error?.code == .credentialAlreadyInUse && auth.currentUser == guest)
      let conflict = try #require(error?.credential)
      #expect(try await auth.signIn(with: conflict).user == ada)
    }
  }

  @Test func errorsHaveCodes() async throws {
    try await withAuth { auth, embedded in
      let provider = PhoneAuthProvider.provider(auth: auth)
      for (number, code) in [("", AuthError.Code.missingPhoneNumber), ("555", .invalidPhoneNumber)] {
        let error = await #expect(throws: AuthError.self) { try await provider.verifyPhoneNumber(number) }
        #expect(error?.code == code)
      }
      let verificationID = try await provider.verifyPhoneNumber("+15555550100")
      let wrong = provider.credential(withVerificationID: verificationID, verificationCode: "wrong")
      let error = await #expect(throws: AuthError.self) { try await auth.signIn(with: wrong) }
      #expect(error?.code == .invalidVerificationCode)
      let unknown = provider.credential(withVerificationID: "unknown", verificationCode: "123456")
      let other = await #expect(throws: AuthError.self) { try await auth.signIn(with: unknown) }
      #expect(other?.code == .invalidVerificationID)
      let user = try await auth.signInAnonymously().user
      let password = EmailAuthProvider.credential(withEmail: "a@b", password: "secret")
      let kind = await #expect(throws: AuthError.self) { try await user.updatePhoneNumber(password) }
      #expect(kind?.code == .argumentError)
      for text in disclosedTexts(of: wrong) + disclosedTexts(of: unknown) {
        #expect(!text.contains("unknown") && !text.contains(verificationID))
      }
    }
  }
}
