/// A reference to a callable function that accepts and returns `Codable` values. It is called like a Swift
/// function.
///
/// ```swift
/// let add = functions.httpsCallable("add", requestAs: [Int].self, responseAs: Int.self)
/// print(try await add([1, 2, 3]))
/// ```
public struct Callable<Request: Encodable, Response: Decodable>: Sendable {
  /// The maximum duration of a call as a whole, including the time for tokens and for encoding and decoding;
  /// 70 seconds by default. See ``HTTPSCallable/timeoutInterval``.
  public var timeoutInterval: Duration
  /// The untyped reference, which makes the calls.
  private let callable: HTTPSCallable

  /// Creates a typed reference to the function of an untyped one.
  init(_ callable: HTTPSCallable) {
    self.callable = callable
    timeoutInterval = callable.timeoutInterval
  }

  /// Calls the function.
  ///
  /// Integers beyond ±2^53 are sent in the protocol's wrapped form, so that no digits are lost. Dates are
  /// sent as ISO 8601 text with milliseconds.
  ///
  /// - Parameter data: the data for the function.
  /// - Returns: the function's result.
  /// - Throws: ``FunctionsError``, with the function's own message and details if it failed, with
  ///   ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form, with
  ///   ``FunctionsError/Code/internal`` if the result isn't a `Response`, and with
  ///   ``FunctionsError/Code/deadlineExceeded`` or ``FunctionsError/Code/unavailable`` if there was no
  ///   response; Auth's error if the user's token isn't available; `CancellationError`.
  public func call(_ data: Request) async throws -> Response {
    try await callable.call(data, timeout: timeoutInterval)
  }

  /// Calls the function. Equivalent to ``call(_:)``.
  public func callAsFunction(_ data: Request) async throws -> Response { try await call(data) }
}

extension Callable where Response: Sendable {
  /// Calls the function and returns its messages as a stream.
  ///
  /// The elements are the messages that the function sends. To receive its result as well, declare the
  /// response as ``StreamResponse``:
  ///
  /// ```swift
  /// let tell: Callable<String, StreamResponse<String, Int>> = functions.httpsCallable("tell")
  /// for try await response in try tell.stream("a story") { print(response) }
  /// ```
  ///
  /// - Parameter data: the data for the function. It is encoded once, by this call.
  /// - Returns: the stream. Nothing is sent before its first element is requested. A function that doesn't
  ///   support streaming sends no messages.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form or
  ///   the function's name is malformed. See ``CallableStream`` for the errors of the stream.
  public func stream(_ data: Request) throws(FunctionsError) -> CallableStream<Response> {
    try callable.stream(data, timeout: timeoutInterval)
  }
}
