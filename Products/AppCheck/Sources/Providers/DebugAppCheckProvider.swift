public import TenonCore
import TenonTransport
import TenonTransportInterop

/// A provider for development and tests: it exchanges a debug token, which the project's owner registers in the
/// Firebase console, for App Check tokens.
///
/// ```swift
/// try App.configure(sources: [DebugAppCheckProvider.source()])
/// ```
///
/// The debug token comes from code, from the environment (`AppCheckDebugToken`, `FIRAAppCheckDebugToken` or
/// `FIREBASE_APPCHECK_DEBUG_TOKEN`), or is made once and kept in a file of mode 0600 in the app's private directory;
/// then the log says once where it is, so that it can be registered. Who has it passes for the app: never ship one.
///
/// The embedded backend takes any debug token, unless its settings list those that it takes.
public final class DebugAppCheckProvider: AppCheckProvider {
  private let secret: DebugToken
  private let client: ExchangeClient

  /// The provider as a source of `App.configure(sources:)`.
  ///
  /// - Parameter token: the debug token; the one of the environment or of the app's directory when `nil`.
  public static func source(token: String? = nil) -> some ComponentSource {
    Source(token: token.map(Secret.init))
  }

  convenience init(
    app: AppContext,
    transport: (any TransportInterop)?,
    token: Secret?,
    logger: Logger?
  ) throws {
    try self.init(
      app: app,
      transport: transport,
      token: token,
      logger: logger,
      pace: .system
    ) { path in logger?.notice(Self.announcement(path: path)) }
  }

  /// What the log says of a debug token that has just been made. The token is a credential, so the log doesn't have it.
  static func announcement(path: String?) -> String {
    let register = "Register it in the Firebase console: App Check, Apps, Manage debug tokens."
    guard let path else {
      return
        "App Check has made a debug token that ends with this process, because the app keeps nothing. Pass one "
        + "that you have registered to DebugAppCheckProvider.source(token:), or set AppCheckDebugToken. \(register)"
    }
    return "App Check has made a debug token for this installation, and keeps it in \(path). \(register)"
  }

  /// - Parameter announce: told where a debug token is that has just been made and must be registered; `nil` when it is
  ///   in memory only.
  init(
    app: AppContext,
    transport: (any TransportInterop)?,
    token: Secret?,
    logger: Logger?,
    pace: TimeSource,
    announce: @escaping @Sendable (_ path: String?) -> Void
  ) throws {
    let isEmbedded = app.options.backend.kind == .embedded
    client = try ExchangeClient(app: app, transport: transport, pace: pace)
    secret = DebugToken(token, directory: try app.directory(for: AppCheckLibrary.name), logger: logger) {
      // The embedded backend needs no registration.
      if !isEmbedded { announce($0) }
    }
  }

  /// The debug token, for those who register it. It is a secret.
  public var debugToken: String {
    get async throws { try await secret.value().value }
  }

  /// Exchanges the debug token.
  public func token() async throws -> AppCheckToken {
    try await client.exchange(try await secret.value(), limitedUse: false)
  }

  /// Exchanges the debug token for a token for one request.
  public func limitedUseToken() async throws -> AppCheckToken {
    try await client.exchange(try await secret.value(), limitedUse: true)
  }

  /// The component of a provider whose debug token is given or found.
  private struct Source: ComponentSource {
    let token: Secret?

    @ComponentBuilder var components: [AnyComponent] {
      let given = token
      Component((any AppCheckProvider).self, needs: .optional((any TransportInterop).self)) {
        context, transport in
        try DebugAppCheckProvider(
          app: try context.app,
          transport: transport,
          token: given ?? DebugToken.given(),
          logger: context.logger
        ) as any AppCheckProvider
      }
    }
  }
}
