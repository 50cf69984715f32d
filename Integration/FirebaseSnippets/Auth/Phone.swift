import TenonAuth

/// Asks for a code by text message and signs in with it.
func phone(number: String, code: String) async throws {
  let verificationID = try await PhoneAuthProvider.provider().verifyPhoneNumber(number, uiDelegate: nil)
  let credential = PhoneAuthProvider.provider()
    .credential(withVerificationID: verificationID, verificationCode: code)
  let result = try await Auth.auth().signIn(with: credential)
  print(result.user.phoneNumber ?? "")
  // expect: 'settings' is unavailable: Test numbers need no setting. Remove the line.
  try Auth.auth().settings?.isAppVerificationDisabledForTesting = true
}

/// Asks for a code by text message, in a closure.
func phoneWithCompletion(number: String) {
  // expect: 'verifyPhoneNumber(_:uiDelegate:completion:)' is unavailable: Call try await verifyPhoneNumber(number), with recaptchaToken: if the number isn't a test number.
  PhoneAuthProvider.provider().verifyPhoneNumber(number, uiDelegate: nil) { verificationID, error in
    print(verificationID as Any, error as Any)
  }
}
