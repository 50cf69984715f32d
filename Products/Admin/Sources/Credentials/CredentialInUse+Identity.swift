import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Identity tokens (OpenID Connect), with which a service account calls services that only it may call.
extension CredentialInUse {
  /// Requests an identity token.
  ///
  /// - Parameters:
  ///   - audience: the URL of the service.
  ///   - source: the credential.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``, also if the credential isn't that of a
  ///   service account, and with ``AdminError/Code/networkError``; `CancellationError`.
  func identityToken(for audience: String, of source: AdminCredential.Source) async throws -> AccessToken {
    let token: String
    switch source {
    case .serviceAccount(let account): token = try await account.identityToken(for: audience, exchange)
    case .metadataServer: token = try await metadataServer(isExpected: true).identityToken(for: audience)
    case .applicationDefault: token = try await metadataServer(isExpected: false).identityToken(for: audience)
    case .workloadIdentity(let identity):
      guard let email = identity.clientEmail else {
        throw Self.hasNoIdentity("A workload without a service account")
      }
      token = try await identityToken(for: audience, of: email, source)
    case .authorizedUser: throw Self.hasNoIdentity("The user of gcloud")
    }
    // The service verifies it; only its end matters here.
    guard let payload = TokenParts(token)?.payload, let end = (try? JSON(parsing: payload))?["exp"]?.text,
      let end = Double(decimal: end),
      let kept = AccessToken(
        token, lifetime: Date(timeIntervalSince1970: end).timeIntervalSince(exchange.time.date()))
    else { throw TokenExchange.noToken("An identity token") }
    return kept
  }

  private static func hasNoIdentity(_ who: String) -> AdminError {
    AdminError(
      .invalidCredential,
      "\(who) has no identity token for a service. Set Admin.credential to that of a service account.")
  }

  /// Returns an identity token that Google issues for an account
  /// (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateIdToken).
  private func identityToken(
    for audience: String, of email: String, _ source: AdminCredential.Source
  ) async throws -> String {
    let account = "projects/-/serviceAccounts/\(PercentEncoding.queryValue(email))"
    guard let url = URL(string: "https://iamcredentials.googleapis.com/v1/\(account):generateIdToken") else {
      throw AdminError(
        .invalidCredential, "The address of the service account isn't one. Check the credential.")
    }
    let token = try await authorizationToken(of: source)
    let body: JSON = ["audience": .string(audience), "includeEmail": true]
    let request = try TransportRequest.json(
      .post, url, body,
      headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer \(token.value)")]))
    let purpose = "An identity token of \(email)"
    let answer = try await exchange.answer(request, purpose, hiding: [token.value])
    guard let identity = answer["token"]?.string, !identity.isEmpty else {
      throw TokenExchange.noToken(purpose)
    }
    return identity
  }
}

extension ServiceAccount {
  /// Returns an identity token for a service (https://google.aip.dev/auth/4112).
  fileprivate func identityToken(for audience: String, _ exchange: TokenExchange) async throws -> String {
    let issued = exchange.time.seconds
    let assertion = try token([
      "iss": .string(clientEmail), "sub": .string(clientEmail), "target_audience": .string(audience),
      "aud": .string(tokenURL.absoluteString), "iat": .int(issued), "exp": .int(issued + 3_600),
    ])
    let form = FormText([
      "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion,
    ])
    let purpose = "The identity token of \(self)"
    let answer = try await exchange.answer(TokenExchange.form(tokenURL, form), purpose, hiding: [assertion])
    guard let token = answer["id_token"]?.string, !token.isEmpty else { throw TokenExchange.noToken(purpose) }
    return token
  }
}
