import TenonAppCheckInterop
public import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
public import TenonTransportInterop

/// Signs users in to an app, and keeps them signed in across launches.
///
/// ```swift
/// let auth = try Auth.auth()
/// let result = try await auth.signIn(withEmail: "ada@example.com", password: password)
/// print(result.user.uid, auth.currentUser?.email ?? "signed out")
/// for await user in auth.authStateChanges { print(user?.uid ?? "signed out") }
/// ```
///
/// The session is stored in a file of mode 0600 in the app's private directory, or in the app's own
/// ``SessionStore``; on Apple platforms in the keychain, unless `AppOptions.data` names a directory. It is
/// read when `Auth` is created, so ``currentUser`` is available immediately after a launch. A session that
/// can't be read is an error (``sessionProblem``), and never counts as signed out.
///
/// Several processes may share a session in a file. A sign-out in one of them is noticed by the others within
/// a second while anything follows the user (a listener, a stream, another product), and otherwise at the
/// next operation. With the keychain or the app's own store, it is noticed at the next launch.
///
/// Operations throw ``AuthError``, or `CancellationError` when their task is cancelled. An operation that
/// throws leaves the current user signed in, unless the server reported that the session has ended.
public final class Auth: Sendable {
  /// The user and the tokens, in memory and in the store.
  let session: Session
  /// The settings of requests, shared with ``server``.
  private let requestSettings: RequestSettings

  /// Returns the `Auth` of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidAPIKey`` if the app has no API key and doesn't use
  ///   the embedded backend; the error of the app's container.
  public static func auth(app: App? = nil) throws -> Auth {
    try (app ?? App.default).resolve(Auth.self, from: AuthLibrary.self)
  }

  /// Creates the `Auth` of an app's container: with the app's store or the platform's, and the system's
  /// clocks.
  ///
  /// - Throws: as ``init(app:appCheck:transport:telemetry:store:time:retries:)``, and the error of the standard
  ///   store.
  convenience init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    store: (any SessionStore)?,
    telemetry: Telemetry
  ) throws {
    try self.init(
      app: app,
      appCheck: appCheck,
      transport: transport,
      telemetry: telemetry,
      store: try store ?? app.standardSessionStore
    )
  }

  /// Creates the `Auth` of an app, and reads the stored session.
  ///
  /// - Parameters:
  ///   - app: the app, whose options select the backend.
  ///   - appCheck: provides App Check tokens; requests have no such token if `nil`.
  ///   - transport: sends requests; the platform's HTTP client if `nil`.
  ///   - telemetry: the log, the metrics and the spans, which contain no secrets; none by default.
  ///   - store: stores the session. The first read is made on the calling thread.
  ///   - time: the clock of the session, for the expiry of tokens and for deadlines.
  ///   - retries: the clock of the waits between attempts of a request.
  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidAPIKey`` if the app has no API key and doesn't use
  ///   the embedded backend. A session that can't be read doesn't throw: ``sessionProblem`` is the reason.
  init(
    app: AppContext,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    telemetry: Telemetry = .silent,
    store: any SessionStore,
    time: TimeSource = .system,
    retries: TimeSource = .system
  ) throws {
    let settings = RequestSettings()
    let server = try IdentityToolkit(
      app: app,
      appCheck: appCheck,
      transport: transport,
      time: time,
      retries: retries,
      settings: settings,
      telemetry: telemetry
    )
    requestSettings = settings
    session = Session(store: store, server: server, logger: telemetry.logger, time: time)
  }

  /// The client of the authentication servers.
  var server: IdentityToolkit { session.server }

  /// The language of emails, as a BCP 47 code such as `de`; the project's default language if `nil`, the
  /// default.
  ///
  /// Requests carry it in the header `X-Firebase-Locale`. It may be set from any thread, applies to requests
  /// that begin afterwards, and isn't stored across launches.
  public var languageCode: String? {
    get { requestSettings.values.language }
    set { requestSettings.change { $0.language = newValue } }
  }

  /// The tenant whose users sign in with this object; `nil`, the default, for the users of the project itself.
  /// Users of different tenants are wholly apart, also if they have the same email address.
  ///
  /// ```swift
  /// auth.tenantID = "acme-x7k2p"
  /// let user = try await auth.signIn(withEmail: email, password: password).user
  /// print(user.tenantID ?? "no tenant")
  /// ```
  ///
  /// It applies to sign-ins, emails and codes. Operations on a ``User`` are those of ``User/tenantID``, whatever
  /// is set here, and the current user stays signed in when it changes. An empty text counts as `nil`. It may be
  /// set from any thread, applies to operations that begin afterwards, and isn't stored across launches.
  public var tenantID: String? {
    get { requestSettings.values.tenantID }
    set { requestSettings.change { $0.tenantID = newValue.flatMap { $0.isEmpty ? nil : $0 } } }
  }

  /// The maximum duration of an operation as a whole, including its App Check tokens, all of its requests and
  /// their retries; 30 seconds by default.
  ///
  /// An operation that takes longer throws ``AuthError/Code/networkError``, but the server may have performed
  /// it. A change of the account that was sent is still processed in the background, so that its new tokens
  /// aren't lost. A refresh of the ID token that several callers share counts as a separate operation.
  /// Reading and writing the ``SessionStore`` isn't limited.
  ///
  /// Negative durations count as zero, and those of more than a year as a year. It may be set from any
  /// thread, applies to operations that begin afterwards, and isn't stored across launches.
  public var timeoutInterval: Duration {
    get { requestSettings.values.timeoutInterval }
    set { requestSettings.change { $0.timeoutInterval = newValue } }
  }

  /// The maximum durations of the phases of each request: 10 seconds for name lookup and connecting, no
  /// separate limit for the first byte of the response, and 60 seconds without progress within a body.
  /// ``timeoutInterval`` limits them together.
  ///
  /// A phase that takes too long ends the request. While connecting, nothing has been sent, and requests that
  /// may be repeated are repeated. The operation then throws ``AuthError/Code/networkError``, whose message
  /// names the limit. It may be set from any thread, applies to requests that begin afterwards, and isn't
  /// stored across launches.
  ///
  /// ```swift
  /// auth.timeouts.firstByte = .seconds(10)
  /// ```
  public var timeouts: HTTPTimeouts {
    get { requestSettings.values.timeouts }
    set { requestSettings.change { $0.timeouts = newValue } }
  }

  /// The signed-in user; `nil` if no user is signed in.
  ///
  /// Reading it acquires a lock briefly and never blocks on input or output, so a view's body may read it
  /// from any thread. It reflects a sign-in, a sign-out or a change as soon as the call that made it returns.
  /// It is also `nil` while the stored session can't be read; ``sessionProblem`` is then the reason.
  public var currentUser: User? { session.known??.user }

  /// Why the stored session can't be used; `nil` if it could be read.
  ///
  /// With ``AuthError/Code/sessionUnreadable``, it can't be read now, for example before the device's first
  /// unlock. Asynchronous operations and new streams try again, and so does a stream that waits, each second
  /// if the session is in a file. ``signOut()`` moves the unreadable session aside.
  ///
  /// With ``AuthError/Code/sessionDamaged``, it has been moved aside, and nobody is signed in. The next
  /// sign-in or sign-out clears the problem.
  public var sessionProblem: AuthError? { session.problem }

  /// Why the server ended the last session, for example because the user was disabled; `nil` if the user
  /// signed out, if the server hasn't ended a session, and after the next sign-in. It isn't stored across
  /// launches.
  public var signOutReason: AuthError? { session.signOutReason }
}
