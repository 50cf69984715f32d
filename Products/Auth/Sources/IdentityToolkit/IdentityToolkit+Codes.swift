import TenonFoundation

/// Action codes. The errors are those of ``IdentityToolkit/call(_:_:email:repeatable:)``.
extension IdentityToolkit {
  /// Sends an email with a link. It isn't `repeatable`, because each request may send an email.
  func sendCode(_ body: CodeRequest) async throws {
    let _: Nothing = try await call("accounts:sendOobCode", body, email: body.newEmail ?? body.email)
  }

  /// Returns the purpose of a code; sets the password if the request contains one.
  func resetPassword(_ body: ResetPasswordRequest) async throws -> ActionCodeInfo {
    let response: ResetPasswordResponse = try await call("accounts:resetPassword", body)
    return response.info
  }

  /// Applies a code: verifies, changes or restores an email address.
  func applyCode(_ code: Secret) async throws {
    let _: Nothing = try await call("accounts:update", ApplyCodeRequest(oobCode: code))
  }

  /// Returns the sign-in methods of the user with an email address; empty if the server reports none.
  func signInMethods(for email: String) async throws -> [String] {
    let response: SignInMethodsResponse = try await call(
      "accounts:createAuthUri",
      SignInMethodsRequest(identifier: email),
      email: email,
      repeatable: true
    )
    return response.signinMethods ?? []
  }
}
