public import TenonCore

/// Calls functions on a server, over Firebase's callable protocol.
///
/// ```swift
/// let greeting = try await Functions.functions().call("greet", "hello", returning: String.self)
/// ```
///
/// Where Auth is linked and somebody is signed in, a call carries their ID token; where App Check is linked, its token.
/// Neither is sent unencrypted to another machine. A call is made once: it may have had its effect even when it fails.
public final class Functions: Sendable {
  /// The region of the functions.
  public let region: String
  private let endpoint: FunctionsEndpoint
  private let client: CallableClient

  init(region: String, endpoint: FunctionsEndpoint, client: CallableClient) {
    self.region = region
    self.endpoint = endpoint
    self.client = client
  }

  /// The functions of an app in a region.
  ///
  /// - Parameters:
  ///   - app: the app, the default one when `nil`.
  ///   - region: the region, for example `europe-west1`.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument``; the error of the app's container.
  public static func functions(app: App? = nil, region: String = "us-central1") throws -> Functions {
    let instances = try (app ?? App.default).resolve(FunctionsInstances.self, from: FunctionsLibrary.self)
    return try instances.functions(region: region)
  }

  /// Calls a function with data.
  ///
  /// Dates cross as ISO 8601 text with milliseconds; whole numbers beyond ±2^53 cross wrapped, so that none loses
  /// digits.
  ///
  /// - Parameters:
  ///   - name: the function's name.
  ///   - data: what it receives.
  ///   - type: what it answers; inferred where possible.
  ///   - timeout: how long the whole call may take, with its tokens; 70 seconds by default, as in Firebase's SDKs.
  ///   - limitedUseAppCheckToken: whether the call carries an App Check token of its own, for functions that accept each
  ///     token once. It matters where App Check is linked.
  /// - Throws: ``FunctionsError`` with the function's own message and details, when it refused, and with
  ///   ``FunctionsError/Code/deadlineExceeded`` or ``FunctionsError/Code/unavailable`` when there was no answer;
  ///   the error of Auth when the user's token can't be had; `CancellationError`.
  public func call<Response: Decodable & Sendable>(
    _ name: String,
    _ data: some Encodable & Sendable,
    returning type: Response.Type = Response.self,
    timeout: Duration = .seconds(70),
    limitedUseAppCheckToken: Bool = false
  ) async throws -> Response {
    try await client.call(
      try endpoint.url(name, region: region),
      name: name,
      data: data,
      timeout: timeout,
      limitedUse: limitedUseAppCheckToken
    )
  }

  /// Calls a function without data; see ``call(_:_:returning:timeout:limitedUseAppCheckToken:)``.
  public func call<Response: Decodable & Sendable>(
    _ name: String,
    returning type: Response.Type = Response.self,
    timeout: Duration = .seconds(70),
    limitedUseAppCheckToken: Bool = false
  ) async throws -> Response {
    try await call(
      name,
      String?.none,
      returning: type,
      timeout: timeout,
      limitedUseAppCheckToken: limitedUseAppCheckToken
    )
  }

  /// Calls a function whose answer doesn't matter; see ``call(_:_:returning:timeout:limitedUseAppCheckToken:)``.
  public func call(
    _ name: String,
    _ data: some Encodable & Sendable,
    timeout: Duration = .seconds(70),
    limitedUseAppCheckToken: Bool = false
  ) async throws {
    let _: Ignored = try await call(
      name,
      data,
      timeout: timeout,
      limitedUseAppCheckToken: limitedUseAppCheckToken
    )
  }

  /// Decodes from anything.
  private struct Ignored: Decodable, Sendable {
    init(from decoder: any Decoder) {}
  }
}
