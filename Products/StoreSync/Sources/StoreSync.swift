import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// Synchronizes the databases of an app with Cloud Firestore or its emulator.
///
/// Linking the library is enough: it contributes the remote that Store uses if the app's backend is
/// `.production` or `.emulator`. This type is needed only for its settings.
///
/// ```swift
/// try StoreSync.storeSync().settings.recordsWrites = true
/// ```
///
/// If Auth is linked and a user is signed in, requests carry the user's ID token. If App Check is linked,
/// they carry the app's token. Requests of `Store.store(as: .admin)` carry the access token of TenonAdmin's
/// credential instead. Tokens are sent only to the server of the app's backend, over encrypted connections or to
/// this machine.
public final class StoreSync: Sendable {
  /// The remote that Store uses.
  let remote: FirestoreRemote

  /// The settings. A change applies to requests and streams that begin later.
  public var settings: StoreSyncSettings {
    get { remote.client.settings.withLock { $0 } }
    set { remote.client.settings.withLock { $0 = newValue } }
  }

  /// Creates the remote of an app.
  ///
  /// - Parameters:
  ///   - app: the options of the app, and the name that it sends to servers.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - transport: the transport of a linked library; the network if `nil`.
  ///   - admin: returns what has the credential of administrators; `nil`, the default, if Admin isn't linked.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - time: the clock of deadlines and retries.
  /// - Throws: `TransportError` if the app uses the embedded backend and it isn't linked;
  ///   `ComponentUnavailable` if the options have no project ID.
  init(
    app: AppContext, auth: (any AuthInterop)?, appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    admin: @escaping @Sendable () throws -> (any AdminInterop)? = { nil }, telemetry: Telemetry = .silent,
    time: TimeSource = .system
  ) throws {
    _ = try app.options.required(.projectID)
    var http = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    http.time = time
    remote = FirestoreRemote(
      FirestoreClient(http: http, auth: auth, appCheck: appCheck, admin: admin, options: app.options),
      logger: telemetry.logger)
  }

  /// Returns the synchronization of an app.
  ///
  /// - Parameter app: the app; the default app if `nil`.
  /// - Throws: `ComponentError` if the app uses the embedded backend; `ConfigurationError` if there is no
  ///   default app and it can't be configured.
  public static func storeSync(app: App? = nil) throws -> StoreSync {
    try (app ?? App.default).resolve(StoreSync.self, from: StoreSyncLibrary.self)
  }
}
