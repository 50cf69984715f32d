public import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
public import TenonTransportInterop

/// Proves to servers that requests come from a genuine instance of the app.
///
/// The products that are linked with it send its tokens automatically. Request a token only for your own
/// servers:
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
/// Without one, ``AppCheckDebugProvider`` is used on the embedded backend, and on other backends if the
/// environment contains a debug token. Otherwise App Check is unavailable, as if it weren't linked.
///
/// The token is stored in a file of mode 0600 in the app's private directory, used again by the next launch,
/// and refreshed before it expires. Operations throw ``AppCheckError``, or `CancellationError` when their
/// task is cancelled.
public final class AppCheck: Sendable {
  /// The token, in memory and in the store.
  let keeper: TokenKeeper
  /// The time limits, shared with ``keeper`` and with the debug provider.
  private let settings: ExchangeSettings

  /// Returns the App Check of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: `ComponentError` with the reason if the app has no provider; ``AppCheckError`` with
  ///   ``AppCheckError/Code/invalidConfiguration`` if its options lack what the provider requires.
  public static func appCheck(app: App? = nil) throws -> AppCheck {
    try (app ?? App.default).resolve(AppCheck.self, from: AppCheckLibrary.self)
  }

  /// Creates the App Check of an app's container, with a store in the app's directory and the system's clock.
  ///
  /// - Throws: the error of creating the app's private directory.
  convenience init(app: AppContext, provider: any AppCheckProvider, telemetry: Telemetry) throws {
    let directory = try app.directory(for: AppCheckLibrary.name)
    self.init(
      app: app,
      provider: provider,
      store: directory.map { FileTokenStore(directory: $0) } ?? MemoryTokenStore(),
      telemetry: telemetry,
      time: .system
    )
  }

  /// - Parameters:
  ///   - app: the app, whose options are part of a stored token's source.
  ///   - provider: provides new tokens.
  ///   - store: stores the token.
  ///   - telemetry: the log, the metrics and the spans, which contain no tokens; none by default.
  ///   - time: the clock of tokens.
  ///   - deadlines: the clock of the time limits.
  init(
    app: AppContext,
    provider: any AppCheckProvider,
    store: any TokenStore,
    telemetry: Telemetry = .silent,
    time: TimeSource,
    deadlines: TimeSource = .system
  ) {
    settings = (provider as? AppCheckDebugProvider)?.settings ?? ExchangeSettings()
    keeper = TokenKeeper(
      app: app, provider: provider, store: store, telemetry: telemetry, settings: settings, time: time,
      deadlines: deadlines)
  }

  /// Returns a token that is valid for at least five more minutes, from the cache where possible.
  ///
  /// Concurrent callers share one exchange; cancelling one of them doesn't affect the others. While exchanges
  /// fail, a cached token is returned until it expires, unless `forcingRefresh` is `true`. May be called from
  /// any thread.
  ///
  /// - Parameter forcingRefresh: whether to request a new token even if the current one is still valid.
  /// - Throws: ``AppCheckError``; with ``AppCheckError/Code/providerFailed`` if the provider threw another
  ///   error; `CancellationError`.
  @discardableResult
  public func token(forcingRefresh: Bool = false) async throws -> AppCheckToken {
    try await keeper.token(forcingRefresh: forcingRefresh)
  }

  /// Returns a new token for one request to a server that accepts each token once (replay protection). It is
  /// never cached, so each call is an exchange.
  ///
  /// - Throws: ``AppCheckError``; `CancellationError`.
  public func limitedUseToken() async throws -> AppCheckToken { try await keeper.limitedUseToken() }

  /// The current token, if there is a valid one, and then each new one. A slow reader receives the newest one
  /// only. The stream requests no token, and ends when the app is deleted.
  public var tokenChanges: AsyncStream<AppCheckToken> { keeper.changes { $0 } }

  /// The maximum duration of an exchange as a whole, including retries; 30 seconds by default.
  ///
  /// It applies to every provider: one that takes longer is cancelled, and callers receive
  /// ``AppCheckError/Code/serverUnreachable`` immediately, even if the provider ignores its cancellation.
  /// Negative durations count as zero, and those of more than a year as a year. It may be set from any
  /// thread, applies to exchanges that begin afterwards, and isn't stored across launches.
  public var timeoutInterval: Duration {
    get { settings.values.timeoutInterval }
    set { settings.change { $0.timeoutInterval = newValue } }
  }

  /// The maximum durations of the phases of each request of ``AppCheckDebugProvider``: 10 seconds for name
  /// lookup and connecting, no separate limit for the first byte of the response, and 60 seconds without
  /// progress within a body. ``timeoutInterval`` limits them together. Other providers send requests in their
  /// own way, which this doesn't affect.
  ///
  /// A phase that takes too long ends the exchange with ``AppCheckError/Code/serverUnreachable``, whose
  /// message names the limit. It may be set from any thread, applies to exchanges that begin afterwards, and
  /// isn't stored across launches.
  ///
  /// ```swift
  /// appCheck.timeouts.connecting = .seconds(5)
  /// ```
  public var timeouts: HTTPTimeouts {
    get { settings.values.timeouts }
    set { settings.change { $0.timeouts = newValue } }
  }

  /// Whether the token is refreshed automatically, five minutes after the middle of its lifetime. `true` by
  /// default. If `false`, it is refreshed when a token is requested and the current one is valid for less
  /// than five minutes.
  ///
  /// It may be set from any thread, and isn't stored across launches.
  public var isTokenAutoRefreshEnabled: Bool {
    get { keeper.isAutoRefreshEnabled }
    set { keeper.isAutoRefreshEnabled = newValue }
  }

  /// Why the token of an earlier launch couldn't be read, or the current one couldn't be stored; `nil` if
  /// neither failed.
  ///
  /// A file that can't be read is moved aside, and a new token is requested.
  public var cacheProblem: AppCheckError? {
    get async { await keeper.cacheProblem }
  }
}
