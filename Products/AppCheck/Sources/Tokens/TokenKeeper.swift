import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// The token of one app, with the same content in memory and in the store, refreshed by one exchange at a
/// time.
///
/// It runs on a dedicated queue, because the store blocks. The stored token is read by the first call.
actor TokenKeeper {
  private let executor = QueueExecutor(label: "tenon.app-check.tokens")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The token in memory: unread until the first call, and then `nil` if there is no stored token of this
  /// source.
  private enum State {
    case unread
    case read(KeptToken?)
  }

  private let provider: any AppCheckProvider
  private let store: any TokenStore
  private let rules: TokenRules
  private let telemetry: Telemetry
  private let settings: ExchangeSettings
  private let time: TimeSource
  private let deadlines: TimeSource
  private var state = State.unread
  /// The last exchange, which may have failed; `nil` before the first one, and once its token is stored.
  private var exchange: SharedTask<KeptToken>?
  private let streams = ChangeStreams<AppCheckToken>()
  /// Whether the token is refreshed automatically, readable and writable from any thread.
  private let isAutomatic = Lock(true)
  /// Waits for the next automatic refresh; `nil` if none is scheduled.
  private(set) var refresh: Task<Void, Never>?
  private var isClosed = false
  /// Why the stored token couldn't be read, or the current one couldn't be stored.
  private(set) var cacheProblem: AppCheckError?

  /// - Parameters:
  ///   - app: the app, whose options are part of a stored token's source.
  ///   - provider: provides new tokens.
  ///   - store: stores the token.
  ///   - telemetry: the log, the metrics and the spans, which contain no tokens.
  ///   - settings: the time limits of exchanges.
  ///   - time: the clock of tokens.
  ///   - deadlines: the clock of the time limits.
  init(
    app: AppContext, provider: any AppCheckProvider, store: any TokenStore, telemetry: Telemetry,
    settings: ExchangeSettings, time: TimeSource, deadlines: TimeSource
  ) {
    self.settings = settings
    self.deadlines = deadlines
    self.provider = provider
    self.store = store
    self.telemetry = telemetry
    self.time = time
    rules = TokenRules(app.options, provider: provider)
  }

  deinit { refresh?.cancel() }

  // MARK: - Tokens

  /// Returns a token that is valid for at least five more minutes; if the exchange fails, one that hasn't
  /// expired, unless `forcingRefresh` is `true`.
  ///
  /// - Throws: ``AppCheckError``; `CancellationError`.
  func token(forcingRefresh: Bool) async throws -> AppCheckToken {
    try Task.checkCancellation()
    if !forcingRefresh, let kept = freshToken() { return kept.token }
    do { return try await exchangeTask().value().token } catch let error as AppCheckError {
      guard !forcingRefresh, let kept = present(), kept.isAlive(at: time.date()) else { throw error }
      telemetry.logger.warning(
        "The App Check token is used until it expires, because there is no new one: \(error)",
        fields: ["error.type": Telemetry.errorType(error)])
      return kept.token
    }
  }

  /// Returns a new token that isn't cached.
  nonisolated func limitedUseToken() async throws -> AppCheckToken {
    try await obtained(limitedUse: true) { [provider] in try await provider.getLimitedUseToken() }
  }

  /// Obtains a token within the time limit, and checks it.
  ///
  /// - Parameters:
  ///   - limitedUse: whether the token is for one request.
  ///   - exchange: obtains a token from the provider.
  /// - Throws: ``AppCheckError``, with ``AppCheckError/Code/serverUnreachable`` if the limit passes;
  ///   `CancellationError`.
  private nonisolated func obtained(
    limitedUse: Bool = false, _ exchange: @escaping @Sendable () async throws -> AppCheckToken
  ) async throws -> AppCheckToken {
    let end = deadlines.now() + settings.values.timeoutInterval.limited
    return try await telemetry.measure(
      "tenon.app_check.token.refresh.duration", span: "app_check.token.refresh",
      ["tenon.app_check.limited_use": .bool(limitedUse)]
    ) {
      try await rules.checking(now: time.date) {
        if let token = try await deadlines.value(by: end, of: exchange) { return token }
        throw AppCheckError(
          TransportError(.timedOut, "The provider returned no token in time.", timeout: .exchange))
      }
    }
  }

  /// Returns the token in memory; the first call reads it from the store, and schedules its refresh. Content
  /// that can't be read is moved aside.
  private func present() -> KeptToken? {
    if case .read(let kept) = state { return kept }
    var kept: KeptToken?
    do { kept = try store.load() } catch {
      cacheProblem = error
      telemetry.logger.error("\(error)")
      do { try store.setAside() } catch { telemetry.logger.error("\(error)") }
    }
    if kept?.source != rules.source { kept = nil }
    state = .read(kept)
    if let kept, kept.isAlive(at: time.date()) {
      scheduleRefresh(after: kept.refreshDelay(at: time.date()))
    }
    return kept
  }

  /// Returns the token in memory, or the one that another process has stored in the meantime, if it is valid
  /// for at least five more minutes.
  private func freshToken() -> KeptToken? {
    if let kept = present(), kept.isFresh(at: time.date()) { return kept }
    guard let kept = try? store.load(), kept.source == rules.source, kept.isFresh(at: time.date()) else {
      return nil
    }
    become(kept)
    return kept
  }

  /// Returns the exchange in flight; starts one if there is none.
  private func exchangeTask() -> SharedTask<KeptToken> {
    if let exchange, !exchange.isOver { return exchange }
    let task = SharedTask { [provider] in
      let token = try await self.obtained { try await provider.getToken() }
      return await self.keep(token)
    }
    exchange = task
    return task
  }

  /// Stores a new token. A failure to store it becomes ``cacheProblem``, because the token can still be used.
  private func keep(_ token: AppCheckToken) -> KeptToken {
    _ = present()
    // The exchange ends here, so that a refresh right after it doesn't wait for this one.
    exchange = nil
    let kept = KeptToken(
      source: rules.source, value: Secret(token.token), received: time.date(), expires: token.expirationDate)
    do {
      try store.save(kept)
      if cacheProblem?.code == .cacheUnwritable { cacheProblem = nil }
    } catch {
      // The token is still valid.
      cacheProblem = error
      telemetry.logger.error("\(error)")
    }
    become(kept)
    return kept
  }

  /// Sets the token in memory, sends it to the streams, and schedules its refresh.
  private func become(_ kept: KeptToken) {
    state = .read(kept)
    streams.send(kept.token)
    scheduleRefresh(after: kept.refreshDelay(at: time.date()))
  }

  // MARK: - Automatic refresh

  /// Whether the token is refreshed automatically. Setting it cancels or schedules the refresh.
  nonisolated var isAutoRefreshEnabled: Bool {
    get { isAutomatic.withLock { $0 } }
    set {
      isAutomatic.withLock { $0 = newValue }
      Task { await self.reschedule() }
    }
  }

  /// Reschedules the refresh of the current token, or cancels it if the automatic refresh is disabled.
  private func reschedule() {
    refresh?.cancel()
    refresh = nil
    if let kept = present() { scheduleRefresh(after: kept.refreshDelay(at: time.date())) }
  }

  /// Schedules a refresh in place of the one that is scheduled, unless the automatic refresh is disabled.
  ///
  /// - Parameters:
  ///   - delay: the wait in seconds.
  ///   - failures: the number of consecutive failures before it.
  private func scheduleRefresh(after delay: TimeInterval, failures: Int = 0) {
    refresh?.cancel()
    refresh = nil
    guard isAutoRefreshEnabled, !isClosed else { return }
    refresh = Task { [weak self, time] in
      do { try await time.sleep(.wait(seconds: delay)) } catch { return }
      await self?.refreshAhead(failures: failures)
    }
  }

  /// Refreshes the token. After a failure, schedules another attempt after 30 seconds, and then after twice
  /// the interval each time, up to 16 minutes (`Backoff.renewal`).
  private func refreshAhead(failures: Int) async {
    guard isAutoRefreshEnabled, !isClosed, !Task.isCancelled else { return }
    // Storing the new token schedules the next refresh, which must not cancel this task.
    refresh = nil
    do { _ = try await exchangeTask().value() } catch {
      guard refresh == nil else { return }
      telemetry.logger.info(
        "The App Check token couldn't be refreshed before its expiry: \(error)",
        fields: ["error.type": Telemetry.errorType(error)])
      let delay = Backoff.renewal.delay(after: failures + 1, random: time.random())
      scheduleRefresh(after: delay / .seconds(1), failures: failures + 1)
    }
  }

  // MARK: - Changes

  /// Returns a stream of the token, if there is a valid one, and of each new one. Slow readers receive the
  /// newest one only.
  nonisolated func changes<Element: Sendable>(
    _ element: @escaping @Sendable (AppCheckToken) -> Element
  ) -> AsyncStream<Element> {
    let stream = streams.stream(of: { $0.token }, element)
    Task { await self.deliverCurrentState() }
    return stream
  }

  /// Sends the current token, if it is valid, to the streams.
  private func deliverCurrentState() {
    guard !isClosed, let kept = present(), kept.isAlive(at: time.date()) else { return }
    streams.send(kept.token)
  }

  /// Ends all streams and the automatic refresh. The stored token remains.
  func close() {
    isClosed = true
    refresh?.cancel()
    refresh = nil
    streams.finish()
  }
}
