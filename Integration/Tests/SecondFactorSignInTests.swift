import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import Testing

/// Second factors, from the client to the embedded backend, and as administrators see them.
@Suite(.limited) struct SecondFactorSignInTests {
  /// A client with the backend that it uses.
  private struct Fixture {
    let auth: Auth
    let embedded: Embedded
    let admin: Admin
    let email = "ada@example.com"

    /// Signs the user up whose address is verified.
    func signedUp() async throws -> User {
      let user = try await auth.createUser(withEmail: email, password: "lovelace").user
      try await admin.updateUser(withUID: user.uid, UserUpdate(isEmailVerified: true))
      return user
    }

    /// Enrolls an authenticator app.
    func enrolledApp(of user: User) async throws -> TOTPSecret {
      let secret = try await TOTPMultiFactorGenerator.generateSecret(
        with: try await user.multiFactor.session())
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: try code(of: secret))
      try await user.multiFactor.enroll(with: assertion, displayName: "App")
      return secret
    }

    /// Enrolls a phone number.
    func enrolledPhone(_ number: String, of user: User) async throws {
      let provider = PhoneAuthProvider.provider(auth: auth)
      let verificationID = try await provider.verifyPhoneNumber(
        number, multiFactorSession: try await user.multiFactor.session())
      let assertion = PhoneMultiFactorGenerator.assertion(with: try credential(verificationID))
      try await user.multiFactor.enroll(with: assertion, displayName: "Phone")
    }

    /// The credential of a verification.
    func credential(_ verificationID: String) throws -> AuthCredential {
      let code = try #require(embedded.phoneCodes().last { $0.sessionInfo == verificationID }).code
      return PhoneAuthProvider.provider(auth: auth).credential(
        withVerificationID: verificationID, verificationCode: code)
    }

    func code(of secret: TOTPSecret) throws -> String {
      try #require(embedded.oneTimePassword(forSharedSecretKey: secret.sharedSecretKey()))
    }

    /// Signs in with the password, and returns what continues the sign-in.
    func resolver() async throws -> MultiFactorResolver {
      let error = await #expect(throws: AuthError.self) {
        try await auth.signIn(withEmail: email, password: "lovelace")
      }
      #expect(error?.code == .secondFactorRequired)
      return try #require(error?.multiFactorResolver)
    }

    func code(_ call: () async throws -> Void) async -> AuthError.Code? {
      await #expect(throws: AuthError.self) { try await call() }?.code
    }
  }

  private func withFixture(_ body: (Fixture) async throws -> Void) async throws {
    let app = try App.configure(
      name: "factors-\(UUID())",
      options: AppOptions(projectID: "demo-factors", backend: .embedded(directory: nil), data: .memory))
    do {
      let embedded = try Embedded.embedded(app: app)
      embedded.settings.fastPasswordHashing = true
      try await body(
        Fixture(auth: try Auth.auth(app: app), embedded: embedded, admin: try Admin.admin(app: app)))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func aUserEnrollsAPhoneNumberAndSignsInWithIt() async throws {
    try await withFixture { fixture in
      let user = try await fixture.signedUp()
      #expect(user.multiFactor.enrolledFactors.isEmpty)
      try await fixture.enrolledPhone("+15555550100", of: user)
      let factor = try #require(user.multiFactor.enrolledFactors.first as? PhoneMultiFactorInfo)
      #expect(factor.phoneNumber == "+15555550100" && factor.displayName == "Phone")
      #expect(factor.factorID == PhoneMultiFactorInfo.PhoneMultiFactorID)
      #expect(abs(factor.enrollmentDate.timeIntervalSinceNow) < 3_600)
      #expect(try await user.getIDTokenResult().signInSecondFactor == "phone")
      #expect(try await user.getIDTokenResult(forcingRefresh: true).signInSecondFactor == "phone")
      try await fixture.auth.signOut()
      let resolver = try await fixture.resolver()
      #expect(fixture.auth.currentUser == nil)
      let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
      #expect(hint.phoneNumber == "+*******0100" && hint.uid == factor.uid)
      let verificationID = try await PhoneAuthProvider.provider(auth: fixture.auth).verifyPhoneNumber(
        with: hint, multiFactorSession: resolver.session)
      let result = try await resolver.resolveSignIn(
        with: PhoneMultiFactorGenerator.assertion(with: try fixture.credential(verificationID)))
      #expect(result.user.uid == user.uid && fixture.auth.currentUser == result.user)
      #expect(result.additionalUserInfo?.providerID == EmailAuthProvider.id)
      #expect(result.user.multiFactor.enrolledFactors.count == 1)
    }
  }

  @Test func aUserEnrollsAnAuthenticatorAppAndItsCodeCountsOnce() async throws {
    try await withFixture { fixture in
      let user = try await fixture.signedUp()
      let secret = try await fixture.enrolledApp(of: user)
      #expect(user.multiFactor.enrolledFactors.first is TOTPMultiFactorInfo)
      #expect(
        secret.generateQRCodeURL(withAccountName: "ada@example.com", issuer: "Harbour & Co")
          == "otpauth://totp/Harbour%20%26%20Co:ada%40example.com?secret=\(secret.sharedSecretKey())"
          + "&issuer=Harbour%20%26%20Co&algorithm=SHA1&digits=6&period=30")
      try await fixture.auth.signOut()
      let resolver = try await fixture.resolver()
      let hint = try #require(resolver.hints.first)
      // The code of the enrollment, or one before it, isn't accepted.
      for used in [try fixture.code(of: secret), "000000x"] {
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: hint.uid, oneTimePassword: used)
        #expect(
          await fixture.code { try await resolver.resolveSignIn(with: assertion) } == .invalidVerificationCode
        )
      }
      #expect(fixture.auth.currentUser == nil)
    }
  }

  @Test func reauthenticatingRequiresTheFactorAndKeepsTheUser() async throws {
    try await withFixture { fixture in
      let user = try await fixture.signedUp()
      try await fixture.enrolledPhone("+15555550100", of: user)
      let password = EmailAuthProvider.credential(withEmail: fixture.email, password: "lovelace")
      let error = await #expect(throws: AuthError.self) { try await user.reauthenticate(with: password) }
      let resolver = try #require(error?.multiFactorResolver)
      let hint = try #require(resolver.hints.first as? PhoneMultiFactorInfo)
      let verificationID = try await PhoneAuthProvider.provider(auth: fixture.auth).verifyPhoneNumber(
        with: hint, multiFactorSession: resolver.session)
      let assertion = PhoneMultiFactorGenerator.assertion(with: try fixture.credential(verificationID))
      #expect(try await resolver.resolveSignIn(with: assertion).user === user)
      try await user.updatePassword(to: "countess")
      #expect(try await user.getIDTokenResult().signInSecondFactor == "phone")
    }
  }

  @Test func aFactorIsRemovedByTheUserAndByTheLinkOfTheMail() async throws {
    try await withFixture { fixture in
      let user = try await fixture.signedUp()
      try await fixture.enrolledPhone("+15555550100", of: user)
      let factor = try #require(user.multiFactor.enrolledFactors.first)
      try await user.multiFactor.unenroll(with: factor)
      #expect(user.multiFactor.enrolledFactors.isEmpty)
      #expect(
        await fixture.code { try await user.multiFactor.unenroll(withFactorUID: factor.uid) }
          == .multiFactorInfoNotFound)
      try await fixture.enrolledPhone("+15555550199", of: user)
      let code = try #require(
        try await fixture.embedded.accountCodes().last { $0.kind == .revertSecondFactorAddition }
      ).code
      let info = try await fixture.auth.checkActionCode(code)
      #expect(info.operation == .revertSecondFactorAddition && info.email == fixture.email)
      try await fixture.auth.applyActionCode(code)
      #expect(await fixture.code { try await fixture.auth.applyActionCode(code) } == .invalidActionCode)
      try await fixture.auth.signOut()
      try await fixture.auth.signIn(withEmail: fixture.email, password: "lovelace")
      #expect(fixture.auth.currentUser?.multiFactor.enrolledFactors.isEmpty == true)
    }
  }

  @Test func wrongUsesHaveCodes() async throws {
    try await withFixture { fixture in
      let (auth, provider) = (fixture.auth, PhoneAuthProvider.provider(auth: fixture.auth))
      let user = try await auth.createUser(withEmail: fixture.email, password: "lovelace").user
      let session = try await user.multiFactor.session()
      #expect(
        await fixture.code { _ = try await TOTPMultiFactorGenerator.generateSecret(with: session) }
          == .unverifiedEmail)
      try await fixture.admin.updateUser(withUID: user.uid, UserUpdate(isEmailVerified: true))
      #expect(
        await fixture.code { _ = try await provider.verifyPhoneNumber("1", multiFactorSession: session) }
          == .invalidPhoneNumber)
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
      let wrong = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "1")
      #expect(
        await fixture.code { try await user.multiFactor.enroll(with: wrong) } == .invalidVerificationCode)
      let other = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "x", oneTimePassword: "1")
      #expect(await fixture.code { try await user.multiFactor.enroll(with: other) } == .argumentError)
      let password = EmailAuthProvider.credential(withEmail: "a@b", password: "secret")
      let kind = PhoneMultiFactorGenerator.assertion(with: password)
      #expect(await fixture.code { try await user.multiFactor.enroll(with: kind) } == .argumentError)
      for text in disclosedTexts(of: secret) + disclosedTexts(of: wrong) {
        #expect(!text.contains(secret.sharedSecretKey()))
      }
      _ = try await fixture.enrolledApp(of: user)
      try await auth.signOut()
      #expect(await fixture.code { _ = try await user.multiFactor.session() } == .userSignedOut)
      let resolver = try await fixture.resolver()
      #expect(
        await fixture.code {
          _ = try await TOTPMultiFactorGenerator.generateSecret(with: resolver.session)
        } == .argumentError)
      #expect(
        await fixture.code {
          _ = try await provider.verifyPhoneNumber("+15555550100", multiFactorSession: resolver.session)
        } == .argumentError)
      #expect(await fixture.code { try await resolver.resolveSignIn(with: wrong) } == .argumentError)
      #expect(
        await fixture.code { try await resolver.resolveSignIn(with: other) } == .multiFactorInfoNotFound)
    }
  }

  @Test func anAdministratorReadsSetsAndRemovesFactors() async throws {
    try await withFixture { fixture in
      let created = try await fixture.admin.createUser(
        UserRequest(
          email: fixture.email, isEmailVerified: true, password: "lovelace",
          enrolledFactors: [UserMultiFactorInfo(phoneNumber: "+15555550100", displayName: "Work")]))
      let factor = try #require(created.multiFactor.enrolledFactors.first)
      #expect(
        factor.phoneNumber == "+15555550100" && factor.displayName == "Work" && factor.factorID == "phone")
      #expect(factor.uid?.isEmpty == false && factor.enrollmentDate != nil)
      #expect(try await fixture.resolver().hints.count == 1)
      let two = [factor, UserMultiFactorInfo(phoneNumber: "+15555550199")]
      let updated = try await fixture.admin.updateUser(
        withUID: created.uid, UserUpdate(enrolledFactors: two))
      #expect(updated.multiFactor.enrolledFactors.map(\.phoneNumber) == ["+15555550100", "+15555550199"])
      #expect(updated.multiFactor.enrolledFactors.first == factor)
      let none = try await fixture.admin.updateUser(
        withUID: created.uid, UserUpdate(enrolledFactors: []))
      #expect(none.multiFactor.enrolledFactors.isEmpty)
      let user = try await fixture.auth.signIn(withEmail: fixture.email, password: "lovelace").user
      _ = try await fixture.enrolledApp(of: user)
      let record = try await fixture.admin.getUser(withUID: user.uid)
      #expect(record.multiFactor.enrolledFactors.map(\.factorID) == ["totp"])
      let kept = try await fixture.admin.updateUser(
        withUID: user.uid, UserUpdate(enrolledFactors: record.multiFactor.enrolledFactors))
      #expect(kept.multiFactor == record.multiFactor)
    }
  }
}
