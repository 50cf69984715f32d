import TenonCore

extension IdentityToolkit {
  func signInWithCustomToken(_ token: Secret) async throws -> SignInResponse {
    try await call("accounts:signInWithCustomToken", CustomTokenRequest(token: token))
  }

  func signInWithEmailLink(_ body: EmailLinkRequest) async throws -> SignInResponse {
    try await call("accounts:signInWithEmailLink", body, email: body.email)
  }

  /// Signs in with what an identity provider gave. The server tells some refusals in an answer of status 200, which
  /// also holds a credential to go on with; they are thrown all the same.
  func signInWithProvider(
    _ proof: ProviderProof,
    of providerID: ProviderID,
    idToken: Secret? = nil,
    creates: Bool = true
  ) async throws -> ProviderResponse {
    let request = try ProviderRequest(proof, of: providerID, idToken: idToken, creates: creates)
    let response: ProviderResponse = try await call("accounts:signInWithIdp", request)
    if let message = response.errorMessage {
      let error = ServerError(error: ServerError.Body(message: message)).authError(
        status: 200,
        email: response.email
      )
      throw error.with(email: response.email, credential: response.credential(of: providerID))
    }
    if response.needConfirmation == true {
      let ways = (response.verifiedProvider ?? []).map { ProviderID(rawValue: $0) }
      throw AuthError(
        .accountExistsWithDifferentCredential,
        "Another user has the address \"\(response.email ?? "")\", which \(providerID) has not verified. Sign in as "
          + "that user (\(ways.map(\.rawValue).joined(separator: ", "))) and link the error's credential.",
        email: response.email,
        credential: response.credential(of: providerID),
        providers: ways
      )
    }
    return response
  }
}
