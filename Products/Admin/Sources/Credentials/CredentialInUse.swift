import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The credential of an app, and the access tokens that it obtains from Google, with one request in flight.
final class CredentialInUse: Sendable {
  private struct State {
    var chosen: AdminCredential?
    /// The credential in a file of the environment; `nil` until it was found.
    var found: AdminCredential.Source?
    /// Whether the metadata server has answered.
    var isOnGoogleCloud = false
    /// Increases with each choice, so that a request for an earlier credential changes nothing.
    var generation = 0
    var token: Secret?
    /// When the token is replaced.
    var end: ContinuousClock.Instant?
    var request: SharedTask<Secret>?
  }

  /// What requests are signed with.
  struct Authorization: Sendable {
    let token: Secret
    /// The project that pays for the requests; `nil` for the project of the credential.
    var quotaProject: String?
  }

  /// The variable that names the file of a credential.
  static let variable = "GOOGLE_APPLICATION_CREDENTIALS"
  /// How long before its end an access token is replaced, in seconds, unless it is valid for less than twice
  /// that.
  private static let margin = 5.0 * 60

  private let environment: [String: String]
  private let exchange: TokenExchange
  private let state = Lock(State())

  /// - Parameters:
  ///   - environment: the variables; those of the process if `nil`.
  ///   - client: sends the requests.
  ///   - time: the clock of tokens.
  init(environment: [String: String]?, client: HTTPClient, time: TimeSource) {
    self.environment = environment ?? ProcessInfo.processInfo.environment
    exchange = TokenExchange(client: client, time: time)
  }

  /// The credential that the app has set.
  var chosen: AdminCredential? { state.withLock { $0.chosen } }

  /// Uses another credential from now on.
  func choose(_ credential: AdminCredential?) {
    state.withLock { state in
      state = State(
        chosen: credential, isOnGoogleCloud: state.isOnGoogleCloud, generation: state.generation &+ 1)
    }
  }

  /// Returns an access token that is valid for some more minutes.
  ///
  /// - Parameter project: the project that is managed.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` or
  ///   ``AdminError/Code/networkError``; `CancellationError`.
  func authorization(for project: String) async throws -> Authorization {
    let source = try source()
    var authorization = Authorization(token: try await accessToken(of: source))
    // Google doesn't charge its own command line tool's project with the requests of its users.
    if case .authorizedUser(let user) = source {
      authorization.quotaProject =
        environment["GOOGLE_CLOUD_QUOTA_PROJECT"].flatMap { $0.isEmpty ? nil : $0 } ?? user.quotaProject
        ?? project
    }
    return authorization
  }

  /// Forgets an access token that the server doesn't accept any more.
  func discard(_ token: Secret) {
    state.withLock { state in
      if state.token == token { (state.token, state.end) = (nil, nil) }
    }
  }

  private func accessToken(of source: AdminCredential.Source) async throws -> Secret {
    let now = exchange.time.now()
    let request: SharedTask<Secret> = state.withLock { state in
      if let token = state.token, let end = state.end, now < end { return SharedTask { token } }
      if let request = state.request, !request.isOver { return request }
      let generation = state.generation
      let request = SharedTask { [self] in try await load(source, generation: generation) }
      state.request = request
      return request
    }
    return try await request.value()
  }

  private func load(_ source: AdminCredential.Source, generation: Int) async throws -> Secret {
    let begin = exchange.time.now()
    let token =
      switch source {
      case .serviceAccount(let account): try await account.accessToken(exchange)
      case .authorizedUser(let user): try await user.accessToken(exchange)
      case .workloadIdentity(let identity): try await identity.accessToken(exchange)
      case .metadataServer: try await metadataServer(isExpected: true).accessToken()
      case .applicationDefault: try await metadataServer(isExpected: false).accessToken()
      }
    let end = begin + .wait(seconds: token.lifetime - min(Self.margin, token.lifetime / 2))
    state.withLock { state in
      if case .applicationDefault = source { state.isOnGoogleCloud = true }
      guard state.generation == generation else { return }
      (state.token, state.end) = (token.value, end)
    }
    return token.value
  }

  private func metadataServer(isExpected: Bool) -> MetadataServer {
    let isKnown = state.withLock { $0.isOnGoogleCloud }
    return MetadataServer(
      isExpected: isExpected || isKnown, environment: environment, client: exchange.client)
  }

  /// Returns the credential that the app has set, or that of the environment, whose file is read once.
  ///
  /// - Returns: `applicationDefault` if only a metadata server remains.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  private func source() throws -> AdminCredential.Source {
    let (chosen, found, generation) = state.withLock { ($0.chosen?.source, $0.found, $0.generation) }
    switch chosen {
    case nil, .applicationDefault?: break
    case let chosen?: return chosen
    }
    if let found { return found }
    guard let path = environmentFile() else {
      guard environment["NO_GCE_CHECK"]?.lowercased() != "true" else {
        throw MetadataServer.noCredential(nil)
      }
      return .applicationDefault
    }
    let source = try AdminCredential(contentsOfFile: path).source
    state.withLock { state in
      if state.generation == generation { state.found = source }
    }
    return source
  }

  /// The file of a credential in the environment: the one that a variable names, or the one that `gcloud` has
  /// written; `nil` if there is none.
  private func environmentFile() -> String? {
    if let path = environment[Self.variable], !path.isEmpty { return path }
    let name = "application_default_credentials.json"
    let folders = [
      environment["CLOUDSDK_CONFIG"],
      environment["APPDATA"].map { "\($0)/gcloud" },
      environment["HOME"].map { "\($0)/.config/gcloud" },
    ]
    guard let folder = folders.lazy.compactMap(\.self).first(where: { !$0.isEmpty }) else { return nil }
    let path = "\(folder)/\(name)"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

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
    let token = try await accessToken(of: source)
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
