import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The ``Functions`` of one app, one instance per region or custom domain. It can be used from any thread.
final class FunctionsInstances: Sendable {
  /// What distinguishes the instances.
  private struct Key: Hashable {
    /// The region.
    let region: String
    /// The custom domain; `nil` for none.
    let customDomain: String?
  }

  /// The region of the functions, unless another one is given.
  static let defaultRegion = "us-central1"

  /// The options of the app.
  private let options: AppOptions
  /// The ID of the project.
  private let project: String
  /// The client that all instances share.
  private let client: CallableClient
  /// The instances that were requested so far.
  private let instances = Lock<[Key: Functions]>([:])

  /// Creates the functions of an app.
  ///
  /// - Parameters:
  ///   - app: the options of the app, and its name for the field `User-Agent`.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - transport: the transport of a linked library; the system's HTTP engine if `nil`.
  ///   - time: the clock of deadlines.
  /// - Throws: `TransportError` if the app uses the embedded backend and it isn't linked;
  ///   `ComponentUnavailable` if the options have no project ID.
  init(
    app: AppContext,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    time: TimeSource = .system
  ) throws {
    options = app.options
    project = try options.required(.projectID)
    var http = try HTTPClient(app: app, transport: transport)
    http.time = time
    client = CallableClient(
      http: http,
      signer: RequestSigner(auth: auth, appCheck: appCheck, scheme: .bearer, time: time)
    )
  }

  /// Returns the instance of a region.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the region is malformed.
  func functions(region: String) throws(FunctionsError) -> Functions {
    guard region.wholeMatch(of: /[a-z0-9-]+/) != nil else {
      throw FunctionsError(
        .invalidArgument,
        "\"\(region)\" isn't a region. Write it as Google Cloud does, for example us-central1."
      )
    }
    return functions(Key(region: region, customDomain: nil))
  }

  /// Returns the instance of a custom domain.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the domain is malformed.
  func functions(customDomain: String) throws(FunctionsError) -> Functions {
    let domain = try FunctionsEndpoint.customDomain(customDomain)
    return functions(Key(region: Self.defaultRegion, customDomain: domain))
  }

  private func functions(_ key: Key) -> Functions {
    instances.withLock { instances in
      if let functions = instances[key] { return functions }
      let endpoint = FunctionsEndpoint(
        options, project: project, region: key.region, customDomain: key.customDomain)
      let functions = Functions(
        region: key.region, customDomain: key.customDomain, endpoint: endpoint, client: client)
      instances[key] = functions
      return functions
    }
  }
}
