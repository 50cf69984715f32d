import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// A workload outside of Google Cloud whose own identity provider vouches for it
/// (https://google.aip.dev/auth/4117), with a token in a file or at a URL.
struct WorkloadIdentity: Sendable, CustomStringConvertible {
  /// Where the provider's token is.
  private enum Place: Sendable {
    case file(String)
    case url(URL, headers: [String: Secret])
  }

  private let audience: String
  private let tokenType: String
  private let tokenURL: URL
  private let place: Place
  /// The member of the JSON object that is the token; the whole text is it if `nil`.
  private let member: String?
  /// Where an access token of a service account is issued; `nil` for access as the workload itself.
  private let impersonationURL: URL?
  /// The address of the service account; `nil` for access as the workload itself.
  let clientEmail: String?

  /// Reads the file.
  ///
  /// - Parameter location: where the file is, for messages.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``, also for the sources of tokens that
  ///   aren't supported: those of AWS, programs and certificates.
  init(_ file: JSON, from location: String) throws(AdminError) {
    guard let audience = file["audience"]?.string, let type = file["subject_token_type"]?.string,
      let tokenURL = file["token_url"]?.string, let source = file["credential_source"]
    else {
      throw CredentialFile.problem(
        "The credential \(location) lacks audience, subject_token_type, token_url or credential_source")
    }
    self.audience = audience
    tokenType = type
    self.tokenURL = try CredentialFile.url(tokenURL, named: "token_url", from: location)
    if let path = source["file"]?.string, !path.isEmpty {
      place = .file(path)
    } else if source["environment_id"] == nil, let text = source["url"]?.string {
      guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
        url.scheme == "https" || CredentialFile.isLoopback(url)
          || url.scheme == "http" && Self.isLinkLocal(host)
      else {
        throw AdminError(
          .invalidCredential,
          "The credential_source of the credential \(location) isn't an https URL. Correct it.")
      }
      place = .url(
        url, headers: (source["headers"]?.object ?? [:]).compactMapValues { $0.string.map { Secret($0) } })
    } else {
      throw AdminError(
        .invalidCredential,
        "The credential \(location) gets its tokens from AWS, a program or a certificate, which isn't supported. Use a credential_source with file or url."
      )
    }
    let format = source["format"]
    if format?["type"]?.string == "json" {
      guard let name = format?["subject_token_field_name"]?.string else {
        throw CredentialFile.problem("The credential \(location) lacks subject_token_field_name")
      }
      member = name
    } else {
      member = nil
    }
    if let text = file["service_account_impersonation_url"]?.string {
      let url = try CredentialFile.url(text, named: "service_account_impersonation_url", from: location)
      impersonationURL = url
      clientEmail = url.lastPathComponent.split(separator: ":").first.map(String.init)
    } else {
      (impersonationURL, clientEmail) = (nil, nil)
    }
  }

  /// Returns whether a host is a metadata server by its address (RFC 3927).
  private static func isLinkLocal(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.starts(with: ["169", "254"])
      && parts.allSatisfy { UInt8(decimal: $0) != nil }
  }

  /// Returns an access token: that of the workload (RFC 8693), or of the service account that it impersonates.
  func accessToken(_ exchange: TokenExchange) async throws -> AccessToken {
    let subject = try await subjectToken(exchange)
    let form = FormText([
      "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": audience,
      "scope": AccessToken.scopes.joined(separator: " "),
      "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
      "subject_token": subject.value, "subject_token_type": tokenType,
    ])
    let purpose = "The access token of the workload"
    let answer = try await exchange.answer(
      TokenExchange.form(tokenURL, form), purpose, hiding: [subject.value])
    guard let token = AccessToken(oauth: answer) else { throw TokenExchange.noToken(purpose) }
    return try await impersonated(token, exchange)
  }

  /// Exchanges the token of a workload for one of the service account that it impersonates.
  private func impersonated(_ token: AccessToken, _ exchange: TokenExchange) async throws -> AccessToken {
    guard let impersonationURL else { return token }
    let body: JSON = ["scope": .array(AccessToken.scopes.map(JSON.string)), "lifetime": "3600s"]
    let request = try TransportRequest.json(
      .post, impersonationURL, body,
      headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer \(token.value.value)")]))
    let purpose = "The access token of \(clientEmail ?? "the service account")"
    let answer = try await exchange.answer(request, purpose, hiding: [token.value.value])
    let end = answer["expireTime"]?.string.flatMap { Date(iso8601: $0) }
    let lifetime = end.map { $0.timeIntervalSince1970 - exchange.time.date().timeIntervalSince1970 }
    guard let token = AccessToken(answer["accessToken"]?.string, lifetime: lifetime) else {
      throw TokenExchange.noToken(purpose)
    }
    return token
  }

  /// Returns the token of the workload's own provider, which is replaced from time to time.
  private func subjectToken(_ exchange: TokenExchange) async throws -> Secret {
    let content: Data
    switch place {
    case .file(let path): content = try CredentialFile.content(of: path)
    case .url(let url, let headers):
      var request = TransportRequest(.get, url)
      for (name, value) in headers { request.headers[name] = value.value }
      request.deadline = .seconds(15)
      request.limits.bodyBytes = CredentialFile.largest
      request.limits.redirects = 0
      let response: TransportResponse
      do { response = try await exchange.client.send(request, repeatable: true) } catch let error
        as TransportError
      {
        throw AdminError(
          .networkError, "The token of the workload can't be requested: \(error.message)", underlying: error)
      }
      guard response.isSuccess else {
        throw AdminError(
          .invalidCredential,
          "The token of the workload was refused with status \(response.status). Check the credential_source."
        )
      }
      content = response.body
    }
    let text =
      if let member { (try? JSON(parsing: content))?[member]?.string } else {
        String(decoding: content, as: UTF8.self).trimmed as String?
      }
    guard let text, !text.isEmpty else {
      throw AdminError(
        .invalidCredential,
        "The token of the workload isn't where the credential says. Check credential_source.")
    }
    return Secret(text)
  }

  var description: String {
    clientEmail.map { "the workload that impersonates \($0)" } ?? "the workload \(audience)"
  }
}
