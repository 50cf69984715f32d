import Foundation
import TenonAppCheckInterop
public import TenonCore
import TenonTransport
import TenonTransportInterop

/// Signs users in to an app, and keeps them signed in across launches.
///
/// ```swift
/// let auth = try Auth.auth()
/// let result = try await auth.signIn(withEmail: "ada@example.com", password: password)
/// print(result.user.uid, auth.currentUser?.email ?? "signed out")
/// for await user in auth.authStateChanges { print(user?.uid ?? "signed out") }
/// ```
///
/// The session is stored in a file of mode 0600 in the app's private directory, or in the app's own ``SessionStore``;
/// on Apple platforms in the keychain, unless ``AppOptions/data`` names a directory. It is read when `Auth` is created,
/// so ``currentUser`` is available at once after a launch. Several processes may share a session. A session that can't
/// be read is an error (``sessionProblem``), and never counts as signed out.
///
/// Operations throw ``AuthError``, or `CancellationError` when their task is cancelled. An operation that throws leaves
/// the current user signed in, unless the server reported that the session has ended.
public final class Auth: Sendable {
  let session: Session
  private let language: Language

  /// Returns the `Auth` of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidAPIKey`` if the app has no API key and does not use the
  ///   embedded backend; the error of the app's container.
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

  /// Creates the `Auth` of an app, and reads the stored session.
  ///
  /// - Parameters:
  ///   - pace: the clock of the session.
  ///   - retries: the clock of repeated requests.
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
    session = Session(store: store, server: server, logger: logger, pace: pace)
  }

  var server: IdentityToolkit { session.server }

  /// The language of mails, as a BCP 47 code such as `de`; the project's default language if `nil`.
  public var languageCode: String? {
    get { language.code }
    set { language.code = newValue }
  }

  /// The signed-in user; `nil` if nobody is signed in.
  ///
  /// Reading it takes a lock for a short time and never blocks on input or output, so a view's body may read it. It
  /// shows a sign-in, a sign-out or a change as soon as the call that made it returns. It is also `nil` while the
  /// stored session can't be read; ``sessionProblem`` is the reason then.
  public var currentUser: User? { session.known??.user }

  /// Why the stored session can't be read; `nil` if it could be read.
  ///
  /// Asynchronous operations and new streams try to read it again, which helps where it was unreadable for a time only,
  /// such as a keychain before the device's first unlock. ``signOut()`` moves it out of the way.
  public var sessionProblem: AuthError? { session.problem }

  /// Why the server ended the last session, for example because the user was disabled; `nil` if the user signed out, if
  /// the server has ended none, and after the next sign-in.
  public var signOutReason: AuthError? { session.signOutReason }
}

/// The language that requests name.
private final class Language: Sendable {
  private let value = Lock<String?>(nil)

  var code: String? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
