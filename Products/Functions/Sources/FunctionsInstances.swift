import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport
import TenonTransportInterop

/// The ``Functions`` of one app, one instance per region or custom domain and authority. It can be used from any
/// thread.
final class FunctionsInstances: Sendable {
  /// What distinguishes the instances.
  private struct Key: Hashable {
    /// The region.
    let region: String
    /// The custom domain; `nil` for none.
    let customDomain: String?
    /// On whose authority the functions are called.
    let authority: Authority
  }

  /// The region of the functions, unless another one is given.
  static let defaultRegion = "us-central1"

  /// The options of the app.
  private let options: AppOptions
  /// The ID of the project.
  private let project: String
  /// The client that all instances of users share.
  private let client: CallableClient
  /// The source of App Check tokens; `nil` if App Check isn't linked.
  private let appCheck: (any AppCheckInterop)?
  /// Returns what has the credential of administrators; `nil` if Admin isn't linked.
  private let admin: @Sendable () throws -> (any AdminInterop)?
  /// The instances that were requested so far.
  private let instances = Lock<[Key: Functions]>([:])

  /// Creates the functions of an app.
  ///
  /// - Parameters:
  ///   - app: the options of the app, and its name for the field `User-Agent`.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - transport: the transport of a linked library; the system's HTTP engine if `nil`.
  ///   - admin: returns what has the credential of administrators; `nil`, the default, if Admin isn't linked.
  ///   - telemetry: the log, the metrics and the spans; none by default.
  ///   - time: the clock of deadlines.
  /// - Throws: `TransportError` if the app uses the embedded backend and it isn't linked;
  ///   `ComponentUnavailable` if the options have no project ID.
  init(
    app: AppContext,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    admin: @escaping @Sendable () throws -> (any AdminInterop)? = { nil },
    telemetry: Telemetry = .silent,
    time: TimeSource = .system
  ) throws {
    options = app.options
    project = try options.required(.projectID)
    var http = try HTTPClient(app: app, transport: transport, telemetry: telemetry)
    http.time = time
    client = CallableClient(
      http: http,
      signer: RequestSigner(auth: auth, appCheck: appCheck, scheme: .bearer, time: time)
    )
    self.appCheck = appCheck
    self.admin = admin
  }

  /// Returns the instance of a region.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the region is malformed, and
  ///   ``FunctionsError/Code/failedPrecondition`` if Admin isn't linked although its authority is requested;
  ///   the error of the container.
  func functions(region: String, as authority: Authority = .user) throws -> Functions {
    guard region.wholeMatch(of: /[a-z0-9-]+/) != nil else {
      throw FunctionsError(
        .invalidArgument,
        "\"\(region)\" isn't a region. Write it as Google Cloud does, for example us-central1."
      )
    }
    return try functions(Key(region: region, customDomain: nil, authority: authority))
  }

  /// Returns the instance of a custom domain.
  ///
  /// - Throws: as ``functions(region:as:)``.
  func functions(customDomain: String, as authority: Authority = .user) throws -> Functions {
    let domain = try FunctionsEndpoint.customDomain(customDomain)
    return try functions(Key(region: Self.defaultRegion, customDomain: domain, authority: authority))
  }

  private func functions(_ key: Key) throws -> Functions {
    // Outside the lock, because this resolves a component.
    let client = key.authority == .user ? client : try administratorsClient()
    return instances.withLock { instances in
      if let functions = instances[key] { return functions }
      let endpoint = FunctionsEndpoint(
        options, project: project, region: key.region, customDomain: key.customDomain)
      let functions = Functions(
        region: key.region, customDomain: key.customDomain, endpoint: endpoint, client: client)
      instances[key] = functions
      return functions
    }
  }

  /// Returns a client whose calls carry the identity token of a service account.
  private func administratorsClient() throws -> CallableClient {
    guard let admin = try admin() else {
      throw FunctionsError(
        .failedPrecondition,
        "Functions can't be called as an administrator, because no linked library has an administrator's credential. "
          + "Link the product TenonAdmin.")
    }
    let source = RequestSigner.AdminSource(admin, isEmbedded: options.backend.kind == .embedded)
    return CallableClient(
      http: client.http,
      signer: RequestSigner(.serviceAccount(source), appCheck: appCheck, time: client.http.time))
  }
}
