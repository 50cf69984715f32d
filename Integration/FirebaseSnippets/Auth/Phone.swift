import TenonAuth

/// Asks for a code by text message and signs in with it.
func phone(number: String, code: String) async throws {
  // expect: 'PhoneAuthProvider' is unavailable: Signing in with a phone number isn't supported. Sign in with a custom token of your server.
  let verificationID = try await PhoneAuthProvider.provider().verifyPhoneNumber(number, uiDelegate: nil)
  // expect: 'PhoneAuthProvider' is unavailable: Signing in with a phone number isn't supported. Sign in with a custom token of your server.
  let credential = PhoneAuthProvider.provider()
    .credential(withVerificationID: verificationID, verificationCode: code)
  let result = try await Auth.auth().signIn(with: credential)
  // expect: 'phoneNumber' is unavailable: Phone numbers aren't supported. Keep the number in a document of the user.
  print(result.user.phoneNumber ?? "")
  // expect: 'settings' is unavailable: Signing in with a phone number isn't supported. Remove the line.
  try Auth.auth().settings?.isAppVerificationDisabledForTesting = true
}

/// Asks for a code by text message, in a closure.
func phoneWithCompletion(number: String) {
  // expect: 'PhoneAuthProvider' is unavailable: Signing in with a phone number isn't supported. Sign in with a custom token of your server.
  PhoneAuthProvider.provider().verifyPhoneNumber(number, uiDelegate: nil) { verificationID, error in
    print(verificationID as Any, error as Any)
  }
}
