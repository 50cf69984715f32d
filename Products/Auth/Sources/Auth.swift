import Foundation
import TenonAppCheckInterop
public import TenonCore
import TenonTransport
import TenonTransportInterop

/// Signs users in to an app, and keeps them signed in.
///
/// ```swift
/// let auth = try Auth.auth()
/// let user = try await auth.signIn(email: "ada@example.com", password: password).user
/// for await user in auth.authStateChanges { print(user?.uid ?? "nobody") }
/// ```
///
/// The session is kept in a file of mode 0600 in the app's private directory, or where an app brings it, in a
/// ``SessionStore``; on Apple platforms in the keychain, unless ``AppOptions/data`` names a directory. The next launch
/// finds it again. Several processes may keep the same session. A session that can't be read is an error, never
/// "signed out".
///
/// Operations throw ``AuthError``, and `CancellationError` when their task is cancelled; an operation that throws
/// leaves the current user as they were, unless the server said that the session is over.
public final class Auth: Sendable {
  let session: Session
  let server: IdentityToolkit
  private let language: Language

  /// The authentication of an app.
  ///
  /// - Parameter app: the app, the default one when `nil`.
  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidAPIKey`` when the app has no API key and doesn't work with
  ///   the embedded backend; the error of the app's container.
  public static func auth(app: App? = nil) throws -> Auth {
    try (app ?? App.default).resolve(Auth.self, from: AuthLibrary.self)
  }

  convenience init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    store: (any SessionStore)?,
    logger: Logger?
  ) throws {
    try self.init(
      app: app,
      appCheck: appCheck,
      transport: transport,
      logger: logger,
      store: try store ?? app.standardSessionStore
    )
  }

  /// - Parameters:
  ///   - pace: the time of the session.
  ///   - retries: the time in which requests are repeated.
  init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    logger: Logger? = nil,
    store: any SessionStore,
    pace: TimeSource = .system,
    retries: TimeSource = .system
  ) throws {
    let language = Language()
    let server = try IdentityToolkit(
      app: app,
      appCheck: appCheck,
      transport: transport,
      pace: pace,
      retries: retries,
      language: { language.code }
    )
    self.language = language
    self.server = server
    session = Session(store: store, logger: logger, pace: pace) { try await server.refresh($0) }
  }

  /// The language of mails, for example `de`; the project's default when `nil`.
  public var languageCode: String? {
    get { language.code }
    set { language.code = newValue }
  }

  /// The user who is signed in; `nil` when nobody is.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/sessionUnreadable``.
  public var currentUser: User? {
    get async throws { try await session.current()?.user }
  }

  /// Why the server ended the last session, for example because the user was disabled; `nil` when it didn't.
  public var signOutReason: AuthError? {
    get async { await session.signOutReason }
  }

  /// An ID token for the current user that is valid for at least five more minutes; `nil` when nobody is signed in.
  ///
  /// However many callers wait, one refresh is in flight; cancelling one of them leaves the others. When the server
  /// says that the session is over, the user is signed out and ``signOutReason`` says why; a failing network leaves
  /// the user signed in.
  ///
  /// - Parameter forcingRefresh: asks the server for a new token even when the present one is still valid.
  public func idToken(forcingRefresh: Bool = false) async throws -> String? {
    try await session.token(forcingRefresh: forcingRefresh)?.value
  }

  /// An ID token with its claims, valid for at least five more minutes by the time that has passed since it came; `nil`
  /// when nobody is signed in.
  ///
  /// - Parameter forcingRefresh: asks the server for a new token, for example after an administrator has given claims.
  public func idTokenResult(forcingRefresh: Bool = false) async throws -> IDTokenResult? {
    try await idToken(forcingRefresh: forcingRefresh).map(IDTokenResult.init)
  }

  /// The current user, and then another one or `nil` with each change of the user's id.
  ///
  /// The first value comes as soon as the kept session has been read. A slow reader sees the newest value.
  public var authStateChanges: AsyncStream<User?> {
    session.changes(of: { $0?.user.uid }, { $0?.user })
  }

  /// The current user, and then the user or `nil` with each change of the ID token: sign-in, sign-out, refresh, a new
  /// password or address.
  ///
  /// The first value comes as soon as the kept session has been read. A slow reader sees the newest value.
  public var idTokenChanges: AsyncStream<User?> {
    session.changes(of: { $0?.tokens.idToken.value }, { $0?.user })
  }

  /// The current user, and then the user or `nil` with each change of either the ID token or what is known of the user:
  /// also after linking, unlinking, ``reload()`` and changes of the profile, which the other streams don't tell.
  ///
  /// The first value comes as soon as the kept session has been read. A slow reader sees the newest value.
  public var userChanges: AsyncStream<User?> {
    session.changes(of: { $0.map { "\($0.user) \($0.tokens.idToken.value)" } }, { $0?.user })
  }
}

/// The language that requests ask for.
private final class Language: Sendable {
  private let value = Lock<String?>(nil)

  var code: String? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
