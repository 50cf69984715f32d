import TenonFoundation

/// Sign-in with custom tokens, links and identity providers. The errors are those of
/// ``IdentityToolkit/call(_:_:email:repeatable:)``.
extension IdentityToolkit {
  /// Signs in with a custom token.
  func signInWithCustomToken(_ token: Secret) async throws -> SignInResponse {
    try await call("accounts:signInWithCustomToken", CustomTokenRequest(token: token))
  }

  /// Signs in with the code of a sign-in link, or links the address to the user of the request's ID token.
  func signInWithEmailLink(_ body: EmailLinkRequest) async throws -> SignInResponse {
    try await call("accounts:signInWithEmailLink", body, email: body.email)
  }

  /// Signs in with an identity provider's credential. The server reports some refusals in an answer with
  /// status 200 that contains a credential with which to continue; they are thrown like other errors.
  ///
  /// - Parameters:
  ///   - proof: the provider's tokens.
  ///   - provider: the provider's identifier.
  ///   - idToken: the user to whom the credential is linked; if `nil`, the user who has it signs in.
  ///   - creates: whether the server may create a user.
  /// - Throws: ``AuthError``; with ``AuthError/Code/accountExistsWithDifferentCredential`` if another user
  ///   has the email address, which the provider hasn't verified.
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
        "Another user has the email address \"\(response.email ?? "")\", which \(provider) hasn't verified. Sign in "
          + "as that user (with \(known.joined(separator: ", "))) and link the error's credential.",
        email: response.email,
        credential: response.credential(of: provider),
        providers: known
      )
    }
    return response
  }
}
