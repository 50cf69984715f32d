import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// Determines the callers of requests, for all services. It is the only place where `Authorization` and
/// `X-Firebase-AppCheck` are read.
struct Authenticator: Sendable {
  /// The ID of the project, whose tokens are accepted.
  let projectID: String
  /// Verifies App Check tokens.
  let appCheck: AppCheckService
  /// Returns the settings of the backend, which have the keys of signed URLs.
  let settings: @Sendable () -> EmbeddedSettings
  /// Returns the current time, with which the expiration of tokens is compared.
  let now: @Sendable () -> Timestamp

  /// Returns an authenticator that accepts the ID tokens of another project.
  func accepting(tokensOf project: String) -> Authenticator {
    Authenticator(projectID: project, appCheck: appCheck, settings: settings, now: now)
  }

  /// Reads what verifying the App Check token of a request needs. Without it, no token is valid.
  ///
  /// - Throws: the errors of the database.
  func prepare(for request: TransportRequest) async throws { try await appCheck.prepare(for: request) }

  /// Returns the caller of a request that has the App Check token which the settings require.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - service: the service to which it is made.
  /// - Throws: `missingApp` if the App Check token is missing or invalid; `invalidCredentials`.
  func admit(_ request: TransportRequest, to service: EmbeddedService) throws(AuthenticationError) -> Caller {
    // Administrators need no App Check token, and for others a missing one is more important than an invalid
    // ID token.
    let app = appCheck.token(of: request)
    if !isFromAdministrator(request, service) { try check(app, at: service) }
    return try caller(of: request, at: service, app)
  }

  /// Returns the caller of a request that may have credentials of any kind, with the App Check token which the
  /// settings require.
  ///
  /// - Returns: the caller, who is nobody if the credentials aren't those of a user or an administrator of the
  ///   project.
  /// - Throws: `missingApp`.
  func admitAnyone(
    _ request: TransportRequest, to service: EmbeddedService
  ) throws(AuthenticationError) -> Caller {
    do throws(AuthenticationError) {
      return try admit(request, to: service)
    } catch {
      let app = appCheck.token(of: request)
      try check(app, at: service)
      return Caller(.nobody, app: app)
    }
  }

  /// Returns the caller of a request, whether or not it has an App Check token.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - service: the service to which it is made.
  /// - Returns: the administrator for `Bearer owner`, regardless of case, and for tokens that begin with
  ///   `ya29.`; the user of a valid ID token; nobody without a token. For accounts, whose methods have the ID
  ///   token in their bodies, any scheme but `Bearer` is no token, as for the Auth emulator.
  /// - Throws: `invalidCredentials` for anything else, for accounts `invalidAdministrator`: what isn't valid
  ///   is refused, not ignored.
  func caller(
    of request: TransportRequest, at service: EmbeddedService
  ) throws(AuthenticationError) -> Caller {
    try caller(of: request, at: service, appCheck.token(of: request))
  }

  /// Returns the caller of a request with an App Check token, which is `nil` if it has no valid one.
  private func caller(
    of request: TransportRequest, at service: EmbeddedService, _ app: AttestationToken?
  ) throws(AuthenticationError) -> Caller {
    guard let credentials = Credentials(request), service != .auth || credentials.scheme == "bearer" else {
      return Caller(.nobody, app: app)
    }
    guard credentials.isAccepted(by: service) else { throw .invalidCredentials }
    if credentials.isAdministrators { return Caller(.administrator, app: app) }
    guard service != .auth else { throw .invalidAdministrator }
    guard var caller = user(idToken: credentials.token) else { throw .invalidCredentials }
    caller.app = app
    return caller
  }

  /// Returns the user of an ID token; `nil` if it isn't a valid one of the project.
  func user(idToken: some StringProtocol) -> Caller? {
    Caller(idToken: idToken, projectID: projectID, now: now())
  }

  /// Checks that a caller has the App Check token that a service requires, where ``caller(of:at:)`` was used.
  ///
  /// - Throws: `missingApp`. Administrators need none.
  func checkApp(of caller: Caller, at service: EmbeddedService) throws(AuthenticationError) {
    if !caller.isAdministrator { try check(caller.app, at: service) }
  }

  /// Checks an App Check token.
  ///
  /// - Parameter token: the token; `nil` if it is missing or invalid.
  private func check(
    _ token: AttestationToken?, at service: EmbeddedService
  ) throws(AuthenticationError) {
    if token == nil, appCheck.isRequired(at: service) { throw .missingApp }
  }

  /// Returns whether a request carries an administrator's credentials.
  private func isFromAdministrator(_ request: TransportRequest, _ service: EmbeddedService) -> Bool {
    Credentials(request).map { $0.isAccepted(by: service) && $0.isAdministrators } ?? false
  }
}

/// The value of `Authorization` (RFC 9110, section 11.6.2).
private struct Credentials {
  /// The scheme in lower case.
  let scheme: String
  /// The token; empty if there is only a scheme.
  let token: Substring

  /// Reads the field of a request; `nil` if there is none.
  init?(_ request: TransportRequest) {
    guard let field = request.headers["Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    scheme = parts.first?.lowercased() ?? ""
    token = parts.count == 2 ? parts[1] : ""
  }

  /// Returns whether a service has the scheme: `Bearer`, and for objects also `Firebase`, which is that of
  /// Firebase's clients.
  func isAccepted(by service: EmbeddedService) -> Bool {
    scheme == "bearer" || (scheme == "firebase" && service == .storage)
  }

  /// Whether the token is an administrator's: `owner`, as for the emulators, or an access token that begins
  /// like Google's.
  var isAdministrators: Bool { token.lowercased() == "owner" || token.hasPrefix("ya29.") }
}
