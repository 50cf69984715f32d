import TenonCore

extension IdentityToolkit {
  func signInWithCustomToken(_ token: Secret) async throws -> SignInResponse {
    try await call("accounts:signInWithCustomToken", CustomTokenRequest(token: token))
  }

  func signInWithEmailLink(_ body: EmailLinkRequest) async throws -> SignInResponse {
    try await call("accounts:signInWithEmailLink", body, email: body.email)
  }

  /// Signs in with an identity provider's credential. The server reports some refusals in an answer of status 200 that
  /// contains a credential with which to continue; they are thrown like the others.
  ///
  /// - Parameter creates: whether the server may create a user.
  func signInWithProvider(
    _ proof: ProviderProof,
    of provider: String,
    idToken: Secret? = nil,
    creates: Bool = true
  ) async throws -> ProviderResponse {
    let request = try ProviderRequest(proof, of: provider, idToken: idToken, creates: creates)
    let response: ProviderResponse = try await call("accounts:signInWithIdp", request)
    if let message = response.errorMessage {
      let error = ServerError(error: ServerError.Body(message: message)).authError(
        status: 200,
        email: response.email
      )
      throw error.with(email: response.email, credential: response.credential(of: provider))
    }
    if response.needConfirmation == true {
      let known = response.verifiedProvider ?? []
      throw AuthError(
        .accountExistsWithDifferentCredential,
        "Another user has the email address \"\(response.email ?? "")\", which \(provider) has not verified. Sign in "
          + "as that user (with \(known.joined(separator: ", "))) and link the error's credential.",
        email: response.email,
        credential: response.credential(of: provider),
        providers: known
      )
    }
    return response
  }
}
