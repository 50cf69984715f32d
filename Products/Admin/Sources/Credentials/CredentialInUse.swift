import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The credential of an app, and the tokens that it obtains from Google, with one request in flight for each.
final class CredentialInUse: Sendable {
  private struct State {
    var chosen: AdminCredential?
    /// The credential in a file of the environment; `nil` until it was found.
    var found: AdminCredential.Source?
    /// Whether the metadata server has answered.
    var isOnGoogleCloud = false
    /// Increases with each choice, so that a request for an earlier credential changes nothing.
    var generation = 0
    var tokens: [Purpose: Kept] = [:]
    var requests: [Purpose: SharedTask<Kept>] = [:]
  }

  /// What a token is for.
  private enum Purpose: Hashable {
    /// Google's APIs.
    case access
    /// A service, by its URL.
    case identity(audience: String)
  }

  /// A token, and when it is replaced.
  private struct Kept: Sendable {
    let value: Secret
    let end: ContinuousClock.Instant
  }

  /// A token, and for how long it is kept.
  struct Token: Sendable {
    let value: Secret
    let validity: Duration
  }

  /// What requests are signed with.
  struct Authorization: Sendable {
    let token: Secret
    /// For how long the token is kept.
    var validity = Duration.zero
    /// The project that pays for the requests; `nil` for the project of the credential.
    var quotaProject: String?
  }

  /// The variable that names the file of a credential.
  static let variable = "GOOGLE_APPLICATION_CREDENTIALS"
  /// How long before its end an access token is replaced, in seconds, unless it is valid for less than twice
  /// that.
  private static let margin = 5.0 * 60
  /// The number of identity tokens that are kept. A server calls a few services.
  private static let mostTokens = 1_000

  private let environment: [String: String]
  let exchange: TokenExchange
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
    let token = try await token(for: .access, of: source)
    var authorization = Authorization(token: token.value, validity: token.validity)
    // Google doesn't charge its own command line tool's project with the requests of its users.
    if case .authorizedUser(let user) = source {
      authorization.quotaProject =
        environment["GOOGLE_CLOUD_QUOTA_PROJECT"].flatMap { $0.isEmpty ? nil : $0 } ?? user.quotaProject
        ?? project
    }
    return authorization
  }

  /// Returns an access token of a source, for Google's services for credentials.
  func authorizationToken(of source: AdminCredential.Source) async throws -> Secret {
    try await token(for: .access, of: source).value
  }

  /// Returns an identity token for a service that is valid for some more minutes.
  ///
  /// - Parameter audience: the URL of the service.
  /// - Throws: as ``authorization(for:)``; also if the credential isn't that of a service account.
  func identityToken(for audience: String) async throws -> Token {
    try await token(for: .identity(audience: audience), of: try source())
  }

  /// Forgets a token that a server doesn't accept any more.
  func discard(_ token: Secret) {
    state.withLock { state in state.tokens = state.tokens.filter { $0.value.value != token } }
  }

  private func token(for purpose: Purpose, of source: AdminCredential.Source) async throws -> Token {
    let now = exchange.time.now()
    let request: SharedTask<Kept> = state.withLock { state in
      if let token = state.tokens[purpose], now < token.end { return SharedTask { token } }
      if let request = state.requests[purpose], !request.isOver { return request }
      let generation = state.generation
      let request = SharedTask { [self] in try await load(purpose, source, generation: generation) }
      state.requests = state.requests.filter { !$0.value.isOver }
      state.requests[purpose] = request
      return request
    }
    let token = try await request.value()
    return Token(value: token.value, validity: max(.zero, token.end - exchange.time.now()))
  }

  private func load(_ purpose: Purpose, _ source: AdminCredential.Source, generation: Int) async throws
    -> Kept
  {
    let begin = exchange.time.now()
    let token =
      switch purpose {
      case .access: try await accessToken(of: source)
      case .identity(let audience): try await identityToken(for: audience, of: source)
      }
    let kept = Kept(
      value: token.value,
      end: begin + .wait(seconds: token.lifetime - min(Self.margin, token.lifetime / 2)))
    state.withLock { state in
      if case .applicationDefault = source { state.isOnGoogleCloud = true }
      guard state.generation == generation else { return }
      if state.tokens.count >= Self.mostTokens { state.tokens = [:] }
      state.tokens[purpose] = kept
    }
    return kept
  }

  private func accessToken(of source: AdminCredential.Source) async throws -> AccessToken {
    switch source {
    case .serviceAccount(let account): try await account.accessToken(exchange)
    case .authorizedUser(let user): try await user.accessToken(exchange)
    case .workloadIdentity(let identity): try await identity.accessToken(exchange)
    case .metadataServer: try await metadataServer(isExpected: true).accessToken()
    case .applicationDefault: try await metadataServer(isExpected: false).accessToken()
    }
  }

  func metadataServer(isExpected: Bool) -> MetadataServer {
    let isKnown = state.withLock { $0.isOnGoogleCloud }
    return MetadataServer(
      isExpected: isExpected || isKnown, environment: environment, client: exchange.client)
  }

  /// Returns the credential that the app has set, or that of the environment, whose file is read once.
  ///
  /// - Returns: `applicationDefault` if only a metadata server remains.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  func source() throws -> AdminCredential.Source {
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
