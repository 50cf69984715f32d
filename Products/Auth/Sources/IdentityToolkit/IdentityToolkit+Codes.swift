import TenonCore

extension IdentityToolkit {
  func sendCode(_ body: CodeRequest) async throws {
    let _: Nothing = try await call("accounts:sendOobCode", body, email: body.newEmail ?? body.email)
  }

  /// Returns the purpose of a code; sets the password if the request has one.
  func resetPassword(_ body: ResetPasswordRequest) async throws -> ActionCodeInfo {
    let response: ResetPasswordResponse = try await call("accounts:resetPassword", body)
    return response.info
  }

  func applyCode(_ code: Secret) async throws {
    let _: Nothing = try await call("accounts:update", ApplyCodeRequest(oobCode: code))
  }

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
