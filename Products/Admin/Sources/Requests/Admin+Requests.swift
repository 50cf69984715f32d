import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Requests to Identity Toolkit
/// (https://cloud.google.com/identity-platform/docs/reference/rest) and App Check as an administrator.
extension Admin {
  /// A request for the project's accounts, or about an App Check token.
  struct ServerRequest {
    var method = HTTPMethod.post
    /// What follows the URL of ``base``, for example `/accounts:lookup`.
    let suffix: String
    /// What the request manages.
    var base = Base.users
    /// The query of the URL.
    var query = FormText()
    /// The body; none if `nil`.
    var body: JSON?
    /// Texts of the body that may not appear in an error.
    var secrets: [String] = []
    /// Whether the request may arrive twice without harm.
    var isRepeatable = false

    /// What a request manages, each with a URL to which paths are added.
    enum Base {
      /// The users of the project or tenant.
      case users
      /// The tenants of the project.
      case tenants
      /// The identity providers of the project or tenant.
      case providers
      /// The App Check tokens of the project
      /// (https://firebase.google.com/docs/reference/appcheck/rest/v1beta/projects).
      case appCheck

      /// The server, for error messages.
      var server: ServerRefusal.Server { self == .appCheck ? .appCheck : .accounts }
    }
  }

  /// The time limit of a request with its access token and its retries.
  private static let timeLimit = Duration.seconds(60)
  /// The greatest size of an answer: a page of 1,000 users with claims and identities has a few megabytes.
  private static let largestAnswer = 32 << 20

  /// Sends a request and returns the object that the server answers.
  ///
  /// - Throws: ``AdminError`` with the code of what the server refused, with
  ///   ``AdminError/Code/invalidCredential``, ``AdminError/Code/networkError`` or
  ///   ``AdminError/Code/internalError``; `CancellationError`.
  func send(_ description: ServerRequest) async throws -> JSON {
    let deadline = time.now() + Self.timeLimit
    var authorization = try await authorization(for: description.base)
    var response = try await response(to: description, authorization, by: deadline)
    // The token may have been revoked before its time. A request that isn't admitted has changed nothing.
    if response.status == 401, !isOwner(for: description.base) {
      credentialInUse.discard(authorization.token)
      authorization = try await self.authorization(for: description.base)
      response = try await self.response(to: description, authorization, by: deadline)
    }
    guard response.isSuccess else {
      let secrets = description.secrets + [authorization.token.value]
      throw ServerRefusal(response, of: description.base.server, hiding: secrets).error
    }
    guard let answer = try? response.json(), answer.object != nil else {
      throw AdminError(
        .internalError,
        "\(description.base.server.name) answered with something that isn't JSON. Try again later.")
    }
    return answer
  }

  /// Whether the server takes the word of its clients that they are administrators, as emulators and the
  /// embedded backend do.
  private func isOwner(for base: ServerRequest.Base) -> Bool {
    base == .appCheck ? usesEmbeddedBackend : hasUnsignedTokens
  }

  private func authorization(
    for base: ServerRequest.Base
  ) async throws -> CredentialInUse.Authorization {
    isOwner(for: base)
      ? CredentialInUse.Authorization(token: Secret("owner"))
      : try await credentialInUse.authorization(for: projectID)
  }

  private func response(
    to description: ServerRequest, _ authorization: CredentialInUse.Authorization,
    by deadline: ContinuousClock.Instant
  ) async throws -> TransportResponse {
    let query = description.query.isEmpty ? "" : "?\(description.query.text)"
    let base =
      switch description.base {
      case .users: accounts
      case .tenants: tenants
      case .providers: accounts.replacing("/v1/projects/", with: "/v2/projects/")
      case .appCheck: "https://firebaseappcheck.googleapis.com/v1beta/projects/\(projectID)"
      }
    guard let url = URL(string: "\(base)\(description.suffix)\(query)"), url.host()?.isEmpty == false
    else {
      throw AdminError(
        .argumentError, "The host of the Auth emulator isn't \"host:port\". Check AppOptions.backend.")
    }
    var request = TransportRequest(description.method, url)
    if let body = description.body {
      request.body = .data(try body.serialized)
      request.headers["Content-Type"] = "application/json; charset=utf-8"
    }
    request.headers["Authorization"] = "Bearer \(authorization.token.value)"
    if let project = authorization.quotaProject { request.headers["X-Goog-User-Project"] = project }
    request.deadline = max(.zero, deadline - time.now())
    request.limits.bodyBytes = Self.largestAnswer
    do { return try await client.send(request, repeatable: description.isRepeatable) } catch let error
      as TransportError
    {
      throw AdminError(
        .networkError,
        "\(description.base.server.name) can't be reached: \(error.message) Try again later.",
        underlying: error)
    }
  }
}
