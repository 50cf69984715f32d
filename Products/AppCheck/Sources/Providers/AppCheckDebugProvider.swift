import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// A provider for development and tests, which exchanges a debug token for App Check tokens. The project's
/// owner registers the debug token in the Firebase console.
///
/// ```swift
/// try App.configure(sources: [AppCheckDebugProviderFactory()])
/// ```
///
/// The debug token comes from code, from the environment (`AppCheckDebugToken`, `FIRAAppCheckDebugToken` or
/// `FIREBASE_APPCHECK_DEBUG_TOKEN`), or is created once and stored in a file of mode 0600 in the app's
/// private directory; the log then contains the file's path once, so that the token can be registered. With a
/// debug token, any program can impersonate the app, so never ship one.
///
/// The embedded backend accepts any debug token, unless its settings list the ones that it accepts.
public final class AppCheckDebugProvider: AppCheckProvider {
  /// The time limits, which ``AppCheck/timeouts`` and ``AppCheck/timeoutInterval`` set.
  let settings = ExchangeSettings()
  private let secret: DebugToken
  private let client: ExchangeClient

  /// Creates a provider with the system's clock that logs the path of a new debug token.
  convenience init(
    app: AppContext,
    transport: (any TransportInterop)?,
    token: Secret?,
    telemetry: Telemetry
  ) throws {
    try self.init(
      app: app,
      transport: transport,
      token: token,
      telemetry: telemetry,
      time: .system
    ) { path in telemetry.logger.notice(Self.announcement(path: path)) }
  }

  /// The log message about a new debug token. The token is a credential, so it isn't logged.
  static func announcement(path: String?) -> String {
    let register = "Register it in the Firebase console: App Check, Apps, Manage debug tokens."
    guard let path else {
      return
        "App Check created a debug token that is valid until this process ends, because the app stores nothing. Pass a "
        + "registered one to AppCheckDebugProviderFactory(token:), or set AppCheckDebugToken. \(register)"
    }
    return "App Check created a debug token for this installation, and stored it in \(path). \(register)"
  }

  /// - Parameters:
  ///   - token: the debug token; if `nil`, the stored one or a new one is used.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - announce: receives the path of a new debug token, which must be registered; `nil` if it is in memory
  ///     only.
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/invalidConfiguration`` if the app's options are
  ///   incomplete.
  init(
    app: AppContext,
    transport: (any TransportInterop)?,
    token: Secret?,
    telemetry: Telemetry = .silent,
    time: TimeSource,
    announce: @escaping @Sendable (_ path: String?) -> Void
  ) throws {
    let isEmbedded = app.options.backend.kind == .embedded
    client = try ExchangeClient(
      app: app, transport: transport, settings: settings, time: time, telemetry: telemetry)
    secret = DebugToken(
      token, directory: try app.directory(for: AppCheckLibrary.name), logger: telemetry.logger
    ) {
      // The embedded backend requires no registration.
      if !isEmbedded { announce($0) }
    }
  }

  /// Returns the debug token, a secret, so that it can be registered. Creates and stores one if there is
  /// none.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/cacheUnwritable``.
  public func currentDebugToken() async throws -> String { try await secret.value().value }

  /// Exchanges the debug token for a token for any number of requests.
  ///
  /// - Throws: ``AppCheckError``; with ``AppCheckError/Code/attestationRejected`` if the debug token isn't
  ///   registered.
  public func getToken() async throws -> AppCheckToken {
    try await client.exchange(try await secret.value(), limitedUse: false)
  }

  /// Exchanges the debug token for a token for one request.
  public func getLimitedUseToken() async throws -> AppCheckToken {
    try await client.exchange(try await secret.value(), limitedUse: true)
  }
}
