import TenonAuth

/// Enrolls a second factor.
func multiFactor(user: User, code: String) async throws {
  // expect: 'multiFactor' is unavailable: Second factors can't be enrolled. The claim is (try await user.getIDTokenResult()).signInSecondFactor.
  let session = try await user.multiFactor.session()
  // expect: 'TOTPMultiFactorGenerator' is unavailable: Second factors can't be enrolled.
  let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
  print(secret.generateQRCodeURL(withAccountName: "kim", issuer: "Harbour"))
  // expect: 'TOTPMultiFactorGenerator' is unavailable: Second factors can't be enrolled.
  let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
  // expect: 'multiFactor' is unavailable: Second factors can't be enrolled. The claim is (try await user.getIDTokenResult()).signInSecondFactor.
  try await user.multiFactor.enroll(with: assertion, displayName: "Authenticator")
}
