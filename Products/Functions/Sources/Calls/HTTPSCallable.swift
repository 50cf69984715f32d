import TenonCallable
import TenonFoundation
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
  /// What identifies a function. The call checks it.
  enum Target: Sendable {
    /// A function of the region or custom domain.
    case name(String)
    /// A function anywhere.
    case url(URL)
  }

  /// The default of ``timeoutInterval``: 70 seconds, as in Firebase's SDKs.
  static let defaultTimeout = Duration.seconds(70)

  /// The functions of the app and region.
  private let functions: Functions
  /// The function.
  private let target: Target
  private let options: HTTPSCallableOptions?
  /// The value of ``timeoutInterval``.
  private let timeout = Lock(HTTPSCallable.defaultTimeout)

  /// Creates a reference. Nothing is checked or sent before the call.
  init(functions: Functions, target: Target, options: HTTPSCallableOptions?) {
    self.functions = functions
    self.target = target
    self.options = options
  }

  /// The maximum duration of a call as a whole, including the time for tokens and for encoding and decoding;
  /// 70 seconds by default. ``Functions/timeouts`` limits the phases of a call.
  ///
  /// It also limits a stream as a whole, so set a longer one for a function that sends messages for minutes.
  ///
  /// A call that takes longer throws ``FunctionsError/Code/deadlineExceeded``, but may have had its effect.
  /// Durations of zero or less time out immediately, and those of more than a year count as a year. A change
  /// applies to later calls.
  public var timeoutInterval: Duration {
    get { timeout.withLock { $0 } }
    set { timeout.withLock { $0 = newValue } }
  }

  /// Calls the function.
  ///
  /// Integers beyond ±2^53 are sent in the protocol's wrapped form, so that no digits are lost. Dates are
  /// sent as ISO 8601 text with milliseconds.
  ///
  /// - Parameter data: the data for the function: `nil`, `NSNull`, Booleans, numbers, strings, other
  ///   `Encodable` values, and arrays and string-keyed dictionaries of these, to a depth of 100.
  /// - Returns: the function's result.
  /// - Throws: ``FunctionsError``, with the function's own message and details if it failed, with
  ///   ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form, and with
  ///   ``FunctionsError/Code/deadlineExceeded`` or ``FunctionsError/Code/unavailable`` if there was no
  ///   response; Auth's error if the user's token isn't available; `CancellationError`.
  @discardableResult
  public func call(_ data: Any? = nil) async throws -> HTTPSCallableResult {
    let call = try prepared(timeoutInterval) { name throws(FunctionsError) in
      try UntypedCoding.json(data, function: name)
    }
    return try await functions.client.result(of: call) { try HTTPSCallableResult($0, function: call.name) }
  }

  /// Calls the function and returns its messages and its result as a stream.
  ///
  /// ```swift
  /// for try await response in try functions.httpsCallable("tell").stream("a story") {
  ///   switch response {
  ///   case .message(let message): print(message.data)
  ///   case .result(let result): print(result.data)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter data: the data for the function, as for ``call(_:)``. It is encoded once, by this call.
  /// - Returns: the stream. Nothing is sent before its first element is requested. A function that doesn't
  ///   support streaming returns only its result.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form or
  ///   the function's name is malformed. See ``CallableStream`` for the errors of the stream.
  public func stream(
    _ data: Any? = nil
  ) throws(FunctionsError) -> CallableStream<StreamResponse<HTTPSCallableResult, HTTPSCallableResult>> {
    let call = try prepared(timeoutInterval) { name throws(FunctionsError) in
      try UntypedCoding.json(data, function: name)
    }
    return stream(of: call) { [name = call.name] event in
      switch event {
      case .message(let json): .message(try HTTPSCallableResult(json, function: name))
      case .result(let json): .result(try HTTPSCallableResult(json, function: name))
      }
    }
  }

  // MARK: - Typed calls

  /// Calls the function with a value and decodes its result.
  ///
  /// - Throws: the errors of ``Callable/call(_:)``.
  func call<Response: Decodable>(_ data: some Encodable, timeout: Duration) async throws -> Response {
    let call = try prepared(timeout) { name throws(FunctionsError) in try Self.encode(data, function: name) }
    return try await functions.client.result(of: call) { try Self.decode($0, function: call.name) }
  }

  /// Calls the function with a value and decodes its messages, and its result if the type is
  /// ``StreamResponse``.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument``.
  func stream<Response: Decodable & Sendable>(
    _ data: some Encodable, timeout: Duration
  ) throws(FunctionsError) -> CallableStream<Response> {
    let call = try prepared(timeout) { name throws(FunctionsError) in try Self.encode(data, function: name) }
    let isWhole = Response.self is any WholeEvent.Type
    return stream(of: call) { [name = call.name] event in
      switch event {
      case _ where isWhole: try Self.decode(event.json, function: name)
      case .message(let message): try Self.decode(message, function: name)
      case .result: nil
      }
    }
  }

  // MARK: - Calls

  /// Returns a call with encoded data. Its time has begun.
  ///
  /// - Parameters:
  ///   - timeout: the maximum duration of the call.
  ///   - encode: returns the data in the protocol's encoding.
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the function's name is malformed; the error of
  ///   `encode`.
  private func prepared(
    _ timeout: Duration, _ encode: (_ function: String) throws(FunctionsError) -> JSON
  ) throws(FunctionsError) -> CallableClient.Call {
    let end = functions.client.http.time.now() + timeout.limited
    let (url, name) = try location()
    let data = try encode(name)
    let body: Data
    do { body = try JSON.object(["data": data]).serialized } catch {
      throw FunctionsError(unsendable: error, function: name)
    }
    return CallableClient.Call(
      url: url, name: name, body: body, end: end, timeouts: functions.timeouts,
      limitedUse: options?.requireLimitedUseAppCheckTokens ?? false)
  }

  /// Returns the URL of the function and its name for error messages.
  private func location() throws(FunctionsError) -> (URL, String) {
    switch target {
    case .name(let name): return (try functions.endpoint.url(name), name)
    case .url(let url):
      guard FunctionsEndpoint.isService(url) else {
        throw FunctionsError(
          .invalidArgument,
          "The URL isn't that of a function. Write a scheme (https), a host and a path, without credentials and fragment."
        )
      }
      // The query may contain secrets.
      return (url, "\(url.host() ?? "")\(url.path())")
    }
  }

  /// Returns the stream of a call.
  private func stream<Element>(
    of call: CallableClient.Call,
    _ decode: @escaping @Sendable (CallableStreamReader.Event) throws -> Element?
  ) -> CallableStream<Element> {
    let client = functions.client
    // The encoding has taken a part of the time. The rest begins with the iteration.
    let rest = call.end - client.http.time.now()
    return CallableStream(
      begin: {
        var call = call
        call.end = client.http.time.now() + rest
        return CallableStreamReader(call, client: client)
      }, decode: decode)
  }

  /// Encodes the data of a typed call.
  ///
  /// - Throws: ``FunctionsError/Code/invalidArgument`` if the data has no JSON form.
  private static func encode(_ data: some Encodable, function: String) throws(FunctionsError) -> JSON {
    do { return try CallableCoding.encode(data) } catch {
      throw FunctionsError(unsendable: error, function: function)
    }
  }

  /// Decodes the result or a message of a typed call.
  ///
  /// - Throws: ``FunctionsError/Code/internal`` if it isn't a `Response`.
  private static func decode<Response: Decodable>(
    _ result: JSON, function: String
  ) throws(FunctionsError) -> Response {
    do { return try CallableCoding.decode(Response.self, from: result) } catch {
      throw FunctionsError(undecodable: error, as: Response.self, function: function)
    }
  }
}
