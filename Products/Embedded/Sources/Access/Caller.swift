import TenonStoreInterop
import TenonTransport

/// Who makes a request, for all services: an administrator, a user, or nobody. ``Authenticator`` determines
/// it before anything else is looked at.
struct Caller: Sendable, Hashable {
  /// What the credentials of a request prove.
  enum Identity: Sendable, Hashable {
    /// An administrator, to whom no rules apply.
    case administrator
    /// A user of the project.
    case user(RequestAuth)
    /// A client without credentials.
    case nobody
  }

  /// What belongs to a caller beyond a request, such as a transaction: the identity without its claims, which
  /// change when a token is refreshed.
  enum Principal: Sendable, Hashable { case administrator, user(String, tenantID: String?), nobody }

  /// What the credentials prove.
  let identity: Identity
  /// The app, according to its App Check token; `nil` without a valid one.
  var app: AttestationToken?
  /// The time at which the ID token expires, in seconds since 1970; `nil` without one.
  let expiration: Int64?

  /// Creates a caller.
  ///
  /// - Parameters:
  ///   - identity: what the credentials prove.
  ///   - expiration: the time at which the ID token expires, in seconds since 1970; `nil` without one.
  ///   - app: the App Check token; `nil` without a valid one.
  init(_ identity: Identity, expiration: Int64? = nil, app: AttestationToken? = nil) {
    self.identity = identity
    self.expiration = expiration
    self.app = app
  }

  /// Creates the caller with an ID token.
  ///
  /// - Returns: `nil` if the token isn't a valid ID token of the project.
  init?(idToken text: some StringProtocol, projectID: String, now: Timestamp) {
    guard let token = IDToken(text), token.problem(projectID: projectID, now: now) == nil,
      let uid = token.userID
    else { return nil }
    self.init(.user(RequestAuth(uid: uid, claims: token.claims)), expiration: token.expires)
  }

  /// An administrator within this process.
  static let administrator = Caller(.administrator)
  /// A client without credentials.
  static let nobody = Caller(.nobody)

  /// Whether the caller is an administrator.
  var isAdministrator: Bool { identity == .administrator }

  /// The user for rules and functions; `nil` if no user is signed in, and for administrators.
  var auth: RequestAuth? {
    if case .user(let auth) = identity { auth } else { nil }
  }

  /// To whom something belongs that the caller begins.
  var principal: Principal {
    switch identity {
    case .administrator: .administrator
    case .user(let auth): .user(auth.uid, tenantID: auth.tenantID)
    case .nobody: .nobody
    }
  }

  /// Returns whether the ID token of a stream that goes on has expired.
  func isExpired(at now: Timestamp) -> Bool { expiration.map { $0 <= now.seconds } ?? false }
}
