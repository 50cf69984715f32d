import TenonAuth

/// Uses the code of a link that came by mail.
func codes(code: String) async throws {
  try await Auth.auth().applyActionCode(code)
  let info = try await Auth.auth().checkActionCode(code)
  print(info.email as Any)
  let email = try await Auth.auth().verifyPasswordResetCode(code)
  print(email)
  try await Auth.auth().confirmPasswordReset(withCode: code, newPassword: "correct horse")
}
