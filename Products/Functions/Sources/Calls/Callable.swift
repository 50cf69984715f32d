/// A reference to a callable function that accepts and returns `Codable` values. It is called like a Swift function.
///
/// ```swift
/// let add = functions.httpsCallable("add", requestAs: [Int].self, responseAs: Int.self)
/// print(try await add([1, 2, 3]))
/// ```
public struct Callable<Request: Encodable, Response: Decodable>: Sendable {
  /// The maximum duration of a call as a whole, including the time for tokens and for encoding and decoding; 70 seconds by
  /// default. See ``HTTPSCallable/timeoutInterval``.
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
  /// Integers beyond ±2^53 are sent in the protocol's wrapped form, so that no digits are lost. Dates are sent as ISO 8601
  /// text with milliseconds.
  ///
  /// - Parameter data: the data for the function.
  /// - Returns: the function's result.
  /// - Throws: ``FunctionsError``, with the function's own message and details if it failed, with
  ///   ``FunctionsError/Code/invalidArgument`` if `data` has no JSON form, with ``FunctionsError/Code/internal`` if the result
  ///   is not a `Response`, and with ``FunctionsError/Code/deadlineExceeded`` or ``FunctionsError/Code/unavailable`` if
  ///   there was no response; Auth's error if the user's token isn't available; `CancellationError`.
  public func call(_ data: Request) async throws -> Response {
    let end = callable.end(after: timeoutInterval)
    return try await callable.call(by: end, try callable.encode(data)) { try callable.decode($0) }
  }

  /// Calls the function. Equivalent to ``call(_:)``.
  public func callAsFunction(_ data: Request) async throws -> Response { try await call(data) }
}
