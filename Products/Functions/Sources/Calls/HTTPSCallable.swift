import TenonCore
import TenonTransport

/// A reference to a callable function that accepts and returns untyped values.
///
/// ```swift
/// let greet = try Functions.functions().httpsCallable("greet")
/// let result = try await greet.call(["name": "Ada"])
/// ```
///
/// It can be used concurrently, from any task.
public final class HTTPSCallable: Sendable {
  /// The default of ``timeoutInterval``: 70 seconds, as in Firebase's SDKs.
  static let defaultTimeout = Duration.seconds(70)

  /// The functions of the app and region.
  private let functions: Functions
  /// The function's name, which the call checks.
  private let name: String
  private let options: HTTPSCallableOptions?
  /// The value of ``timeoutInterval``.
  private let timeout = Lock(HTTPSCallable.defaultTimeout)

  /// Creates a reference. Nothing is checked or sent before the call.
  init(functions: Functions, name: String, options: HTTPSCallableOptions?) {
    self.functions = functions
    self.name = name
    self.options = options
  }

  /// The maximum duration of a call as a whole, including the time for tokens and for encoding and decoding; 70 seconds by
  /// default. ``Functions/timeouts`` limits the phases of a call.
  ///
  /// A call that takes longer throws ``FunctionsError/Code/deadlineExceeded``, but may have had its effect. Durations of zero
  /// or less time out immediately, and those of more than a year count as a year. A change applies to later calls.
  public var timeoutInterval: Duration {
    get { timeout.withLock { $0 } }
    set { timeout.withLock { $0 = newValue } }
  }

  /// Calls the function.
  ///
  /// Integers beyond ±2^53 are sent in the protocol's wrapped form, so that no digits are lost. Dates are sent as ISO 8601
  /// text with milliseconds.
  ///
  /// - Parameter data: the data for the function: `nil`, `NSNull`, Booleans, numbers, strings, other `Encodable` values, and
  ///   arrays and string-keyed dictionaries of these, to a depth of 100.
  /// - Returns: the function's result.
  /// - Throws: ``FunctionsError``, with the function's own message and details if it failed, with
  ///   ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form, and with
  ///   ``FunctionsError/Code/deadlineExceeded`` or ``FunctionsError/Code/unavailable`` if there was no response; Auth's
  ///   error if the user's token isn't available; `CancellationError`.
  @discardableResult
  public func call(_ data: Any? = nil) async throws -> HTTPSCallableResult {
    try await call(by: end(after: timeoutInterval), try UntypedCoding.json(data, function: name)) { result in
      try HTTPSCallableResult(result, function: name)
    }
  }

  /// Returns when a call that begins now ends at the latest.
  ///
  /// - Parameter timeout: the maximum duration of the call.
  func end(after timeout: Duration) -> ContinuousClock.Instant {
    functions.client.http.time.now() + timeout.limited
  }

  /// Calls the function with encoded data and returns its decoded result.
  ///
  /// - Parameters:
  ///   - end: when the call ends at the latest (``end(after:)``).
  ///   - data: the data in the protocol's encoding.
  ///   - decode: decodes the result.
  /// - Throws: ``FunctionsError``; Auth's error; `CancellationError`; the error of `decode`.
  func call<Result>(
    by end: ContinuousClock.Instant, _ data: JSON, _ decode: (JSON) throws -> Result
  ) async throws -> Result {
    let call = CallableClient.Call(
      url: try functions.endpoint.url(name, region: functions.region), name: name, data: data, end: end,
      timeouts: functions.timeouts, limitedUse: options?.requireLimitedUseAppCheckTokens ?? false)
    return try await functions.client.result(of: call, decode)
  }

  /// Encodes the data of a typed call.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the data has no JSON form.
  func encode(_ data: some Encodable) throws(FunctionsError) -> JSON {
    do { return try CallableCoding.encode(data) } catch {
      throw FunctionsError(unsendable: error, function: name)
    }
  }

  /// Decodes the result of a typed call.
  ///
  /// - Throws: ``FunctionsError/Code/internal`` if the result is not a `Response`.
  func decode<Response: Decodable>(_ result: JSON) throws(FunctionsError) -> Response {
    do { return try CallableCoding.decode(Response.self, from: result) } catch {
      throw FunctionsError(undecodable: error, as: Response.self, function: name)
    }
  }
}
