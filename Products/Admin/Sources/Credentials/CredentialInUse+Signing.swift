import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Signing custom tokens, and what other products need signed.
extension CredentialInUse {
  /// A service account that signs.
  struct Signer: Sendable {
    /// The address of the account.
    let email: String
    /// Returns a JWT with claims.
    let token: @Sendable (JSON) async throws -> String
    /// Returns the signature of a message, RSASSA-PKCS1-v1_5 with SHA-256.
    let signature: @Sendable ([UInt8]) async throws -> [UInt8]
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
      return Signer(email: account.clientEmail) {
        try account.token($0)
      } signature: {
        try account.signature(of: $0)
      }
    case .workloadIdentity(let identity):
      guard let email = identity.clientEmail else {
        throw Self.cannotSign("A workload without a service account")
      }
      return remoteSigner(email, source)
    case .metadataServer, .applicationDefault:
      var isExpected = false
      if case .metadataServer = source { isExpected = true }
      return remoteSigner(try await metadataServer(isExpected: isExpected).email(), source)
    case .authorizedUser: throw Self.cannotSign("The user of gcloud")
    }
  }

  private static func cannotSign(_ who: String) -> AdminError {
    AdminError(
      .invalidCredential,
      "\(who) can't sign custom tokens or URLs. Set Admin.credential to that of a service account.")
  }

  /// Returns the signer of an account whose key Google has.
  private func remoteSigner(_ email: String, _ source: AdminCredential.Source) -> Signer {
    Signer(email: email) { [self] claims in
      let header: JSON = ["alg": "RS256", "typ": "JWT"]
      let signed = try [header, claims].map { Base64URL.encode(try $0.serialized) }.joined(separator: ".")
      return "\(signed).\(Base64URL.encode(try await signature(of: Data(signed.utf8), by: email, source)))"
    } signature: { [self] in
      [UInt8](try await signature(of: Data($0), by: email, source))
    }
  }

  /// Returns a signature that Google makes for an account
  /// (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob).
  private func signature(
    of message: Data, by email: String, _ source: AdminCredential.Source
  ) async throws -> Data {
    let token = try await authorizationToken(of: source)
    let account = "projects/-/serviceAccounts/\(PercentEncoding.queryValue(email))"
    guard let url = URL(string: "https://iamcredentials.googleapis.com/v1/\(account):signBlob") else {
      throw AdminError(
        .invalidCredential, "The address of the service account isn't one. Check the credential.")
    }
    let body: JSON = ["payload": .string(message.base64EncodedString())]
    let request = try TransportRequest.json(
      .post, url, body,
      headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer \(token.value)")]))
    let purpose = "A signature of \(email) (which needs the role Service Account Token Creator)"
    let answer = try await exchange.answer(request, purpose, hiding: [token.value])
    guard let blob = answer["signedBlob"]?.string.flatMap({ Data(base64Encoded: $0) }), !blob.isEmpty else {
      throw AdminError(.internalError, "\(purpose) isn't in the answer of Google. Try again later.")
    }
    return blob
  }
}
