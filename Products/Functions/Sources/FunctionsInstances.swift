import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTransport
import TenonTransportInterop

/// The ``Functions`` of one app, one instance per region. It can be used from any thread.
final class FunctionsInstances: Sendable {
  /// The location of the app's functions.
  private let endpoint: FunctionsEndpoint
  /// The client that all regions share.
  private let client: CallableClient
  /// The instances that were requested so far, by region.
  private let instances = Lock<[String: Functions]>([:])

  /// Creates the functions of an app.
  ///
  /// - Parameters:
  ///   - app: the options of the app, and its name for the field `User-Agent`.
  ///   - auth: the source of ID tokens; `nil` if Auth isn't linked.
  ///   - appCheck: the source of App Check tokens; `nil` if App Check isn't linked.
  ///   - transport: the transport of a linked library; the system's HTTP engine if `nil`.
  ///   - time: the clock of deadlines.
  /// - Throws: `TransportError` if the app uses the embedded backend and it isn't linked.
  init(
    app: AppContext,
    auth: (any AuthInterop)?,
    appCheck: (any AppCheckInterop)?,
    transport: (any TransportInterop)?,
    time: TimeSource = .system
  ) throws {
    endpoint = FunctionsEndpoint(app.options)
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
        "\"\(region)\" is not a region. Write it as Google Cloud does, for example us-central1."
      )
    }
    return instances.withLock { instances in
      if let functions = instances[region] { return functions }
      let functions = Functions(region: region, endpoint: endpoint, client: client)
      instances[region] = functions
      return functions
    }
  }
}
