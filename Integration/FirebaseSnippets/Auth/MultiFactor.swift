import TenonAuth

/// Enrolls a second factor.
func multiFactor(user: User, code: String) async throws {
  let session = try await user.multiFactor.session()
  let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
  print(secret.generateQRCodeURL(withAccountName: "kim", issuer: "Harbour"))
  let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
  try await user.multiFactor.enroll(with: assertion, displayName: "Authenticator")
}

/// Signs in with a second factor.
func signIn(auth: Auth, code: String) async throws {
  do {
    try await auth.signIn(withEmail: "kim@example.com", password: "secret")
  } catch let error as AuthError where error.code == .secondFactorRequired {
    guard let resolver = error.multiFactorResolver else { return }
    if let hint = resolver.hints[0] as? PhoneMultiFactorInfo {
      let id = try await PhoneAuthProvider.provider().verifyPhoneNumber(
        with: hint, uiDelegate: nil, multiFactorSession: resolver.session)
      let credential = PhoneAuthProvider.provider().credential(withVerificationID: id, verificationCode: code)
      let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
      // expect: 'resolveSignIn(with:completion:)' is unavailable: The call is asynchronous: try await resolver.resolveSignIn(with: assertion), in a Task { … } if need be.
      resolver.resolveSignIn(with: assertion) { _, _ in }
    }
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: resolver.hints[0].uid, oneTimePassword: code)
    try await resolver.resolveSignIn(with: assertion)
  }
}

/// Lists the second factors, and removes them.
func unenroll(user: User) async throws {
  for factor: MultiFactorInfo in user.multiFactor.enrolledFactors {
    print(factor.uid, factor.displayName ?? "", factor.factorID, factor.enrollmentDate)
    try await user.multiFactor.unenroll(with: factor)
  }
}
