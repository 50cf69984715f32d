public import TenonCore
import TenonTransport

/// Proves to servers that requests come from a genuine instance of the app.
///
/// The products that are linked beside it send its tokens by themselves; call it only for servers of your own.
///
/// ```swift
/// let token = try await AppCheck.appCheck().limitedUseToken()
/// request.setValue(token.value, forHTTPHeaderField: "X-Firebase-AppCheck")
/// ```
///
/// Tokens come from an ``AppCheckProvider``, a component that the app brings along:
///
/// ```swift
/// try App.configure(sources: [
///   CustomAppCheckProvider { limitedUse in try await backend.appCheckToken(limitedUse: limitedUse) }
/// ])
/// ```
///
/// Without one, the embedded backend is asked as by ``DebugAppCheckProvider``; other backends are, where the environment
/// has a debug token. Otherwise App Check is unavailable, and everything is as if it were not linked.
///
/// A token is kept in a file of mode 0600 in the app's private directory, found again by the next launch, and renewed
/// ahead of its end. Operations throw ``AppCheckError``, and `CancellationError` when their task is cancelled.
public final class AppCheck: Sendable {
  let keeper: TokenKeeper

  /// The App Check of an app.
  ///
  /// - Parameter app: the app, the default one when `nil`.
  /// - Throws: ``ComponentError`` with the reason, when the app has no provider; ``AppCheckError`` with
  ///   ``AppCheckError/Code/invalidConfiguration``, when its options lack what the provider needs.
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

  /// A token that is valid for at least five more minutes, from the cache where possible.
  ///
  /// However many callers wait, one exchange is in flight; cancelling one of them leaves the others. While an exchange
  /// fails, a kept token is given until its end.
  ///
  /// - Parameter forcingRefresh: exchanges for a new token even when the present one is still valid.
  @discardableResult
  public func token(forcingRefresh: Bool = false) async throws -> AppCheckToken {
    try await keeper.token(forcingRefresh: forcingRefresh)
  }

  /// A fresh token for one request to a server that accepts each token once. It is never kept.
  public func limitedUseToken() async throws -> AppCheckToken { try await keeper.limitedUseToken() }

  /// The current token first, if there is one, then each new one. A slow reader sees the newest.
  public var tokenChanges: AsyncStream<AppCheckToken> { keeper.changes { $0 } }

  /// Whether the token is renewed ahead of its end without being asked for, half of its life and five minutes after it
  /// came. `true` at first. With `false`, it is renewed when somebody asks for a token that has less than five minutes.
  public var refreshesAutomatically: Bool {
    get { keeper.refreshesAutomatically }
    set { keeper.refreshesAutomatically = newValue }
  }

  /// Why the token of an earlier launch could not be read, or the present one not be kept; `nil` when all is well.
  ///
  /// A file that can't be read is set aside, and a new token is exchanged for.
  public var cacheProblem: AppCheckError? {
    get async { await keeper.cacheProblem }
  }
}
