import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Signing custom tokens.
extension CredentialInUse {
  /// A service account that signs.
  struct Signer: Sendable {
    /// The address of the account.
    let email: String
    /// Returns a JWT with claims.
    let token: @Sendable (JSON) async throws -> String
  }

  /// Returns the service account that signs: with its key, or by Google's service for signatures if only the
  /// account's address is known.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` if the credential is no service
  ///   account.
  func signer() async throws -> Signer {
    let source = try source()
    switch source {
    case .serviceAccount(let account):
      return Signer(email: account.clientEmail) { try account.token($0) }
    case .workloadIdentity(let identity):
      guard let email = identity.clientEmail else {
        throw Self.cannotSign("A workload without a service account")
      }
      return Signer(email: email) { [self] in try await signed($0, by: email, source) }
    case .metadataServer, .applicationDefault:
      var isExpected = false
      if case .metadataServer = source { isExpected = true }
      let email = try await metadataServer(isExpected: isExpected).email()
      return Signer(email: email) { [self] in try await signed($0, by: email, source) }
    case .authorizedUser: throw Self.cannotSign("The user of gcloud")
    }
  }

  private static func cannotSign(_ who: String) -> AdminError {
    AdminError(
      .invalidCredential,
      "\(who) can't sign custom tokens. Set Admin.credential to that of a service account.")
  }

  /// Returns a JWT that Google signs for an account
  /// (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob).
  private func signed(_ claims: JSON, by email: String, _ source: AdminCredential.Source) async throws
    -> String
  {
    let header: JSON = ["alg": "RS256", "typ": "JWT"]
    let signed = try [header, claims].map { Base64URL.encode(try $0.serialized) }.joined(separator: ".")
    let token = try await authorizationToken(of: source)
    let account = "projects/-/serviceAccounts/\(PercentEncoding.queryValue(email))"
    guard let url = URL(string: "https://iamcredentials.googleapis.com/v1/\(account):signBlob") else {
      throw AdminError(
        .invalidCredential, "The address of the service account isn't one. Check the credential.")
    }
    let body: JSON = ["payload": .string(Data(signed.utf8).base64EncodedString())]
    let request = try TransportRequest.json(
      .post, url, body,
      headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer \(token.value)")]))
    let purpose = "A signature of \(email) (which needs the role Service Account Token Creator)"
    let answer = try await exchange.answer(request, purpose, hiding: [token.value])
    guard let blob = answer["signedBlob"]?.string.flatMap({ Data(base64Encoded: $0) }), !blob.isEmpty else {
      throw AdminError(.internalError, "\(purpose) isn't in the answer of Google. Try again later.")
    }
    return "\(signed).\(Base64URL.encode(blob))"
  }
}
