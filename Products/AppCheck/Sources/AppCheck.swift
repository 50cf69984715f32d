public import TenonCore
import TenonTransport

/// Proves to servers that requests come from a genuine instance of the app.
///
/// The products that are linked with it send its tokens themselves; call it only for your own servers:
///
/// ```swift
/// let token = try await AppCheck.appCheck().limitedUseToken()
/// request.setValue(token.token, forHTTPHeaderField: "X-Firebase-AppCheck")
/// ```
///
/// Tokens come from an ``AppCheckProvider``, a component that the app provides:
///
/// ```swift
/// try App.configure(sources: [
///   CustomAppCheckProvider { limitedUse in try await backend.appCheckToken(limitedUse: limitedUse) }
/// ])
/// ```
///
/// Without one, ``AppCheckDebugProvider`` is used on the embedded backend, and on other backends if the environment
/// contains a debug token. Otherwise App Check is unavailable, as if it were not linked.
///
/// The token is stored in a file of mode 0600 in the app's private directory, used again by the next launch, and
/// refreshed before it expires. Operations throw ``AppCheckError``, or `CancellationError` when their task is
/// cancelled.
public final class AppCheck: Sendable {
  let keeper: TokenKeeper

  /// Returns the App Check of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: ``ComponentError`` with the reason if the app has no provider; ``AppCheckError`` with
  ///   ``AppCheckError/Code/invalidConfiguration`` if its options lack what the provider requires.
  public static func appCheck(app: App? = nil) throws -> AppCheck {
    try (app ?? App.default).resolve(AppCheck.self, from: AppCheckLibrary.self)
  }

  convenience init(app: AppContext, provider: any AppCheckProvider, logger: Logger?) throws {
    let directory = try app.directory(for: AppCheckLibrary.name)
    self.init(
      app: app,
      provider: provider,
      store: directory.map { FileTokenStore(directory: $0) } ?? MemoryTokenStore(),
      logger: logger,
      pace: .system
    )
  }

  init(
    app: AppContext,
    provider: any AppCheckProvider,
    store: any TokenStore,
    logger: Logger? = nil,
    pace: TimeSource
  ) {
    keeper = TokenKeeper(app: app, provider: provider, store: store, logger: logger, pace: pace)
  }

  /// Returns a token that is valid for at least five more minutes, from the cache where possible.
  ///
  /// However many callers wait, one exchange is in flight; a caller that is cancelled leaves the others waiting. While
  /// exchanges fail, a cached token is returned until it expires.
  ///
  /// - Parameter forcingRefresh: exchanges for a new token even if the present one is still valid.
  @discardableResult
  public func token(forcingRefresh: Bool = false) async throws -> AppCheckToken {
    try await keeper.token(forcingRefresh: forcingRefresh)
  }

  /// Returns a new token for one request to a server that accepts each token once. It is never cached.
  public func limitedUseToken() async throws -> AppCheckToken { try await keeper.limitedUseToken() }

  /// The current token, if there is one, and then each new one. A slow reader receives the newest one only. The stream
  /// ends when the app is deleted.
  public var tokenChanges: AsyncStream<AppCheckToken> { keeper.changes { $0 } }

  /// Whether the token is refreshed automatically, five minutes after the middle of its lifetime. `true` by default. If
  /// `false`, it is refreshed when a token is requested and the present one is valid for less than five minutes.
  ///
  /// The setting is not stored across launches.
  public var isTokenAutoRefreshEnabled: Bool {
    get { keeper.isAutoRefreshEnabled }
    set { keeper.isAutoRefreshEnabled = newValue }
  }

  /// Why the token of an earlier launch could not be read, or the present one not be stored; `nil` if neither failed.
  ///
  /// A file that can't be read is moved aside, and a new token is requested.
  public var cacheProblem: AppCheckError? {
    get async { await keeper.cacheProblem }
  }
}
