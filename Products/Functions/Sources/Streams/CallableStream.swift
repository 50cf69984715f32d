/// The messages of a streaming function, and its result if the element type is ``StreamResponse``.
///
/// ```swift
/// let count: Callable<Int, Int> = functions.httpsCallable("count")
/// for try await number in try count.stream(3) { print(number) }
/// ```
///
/// The call begins when the first element is requested, and each iterator makes its own call. Elements are
/// received as they are requested: a slow reader slows down the function. Leaving the loop, or cancelling its
/// task, closes the connection, which cancels the function on servers that support it.
///
/// The iteration throws:
/// - ``FunctionsError`` with the function's own code, message and details if it failed, also after messages.
/// - ``FunctionsError/Code/dataLoss`` if the stream ends without a result, and
///   ``FunctionsError/Code/unavailable`` if the connection is lost.
/// - ``FunctionsError/Code/deadlineExceeded`` if the stream isn't complete within the `timeoutInterval` of
///   its reference, which includes the time that the reader takes, or if nothing arrives for the time of
///   `inactivity` in ``Functions/timeouts``. Servers send heartbeats while a function is silent.
/// - ``FunctionsError/Code/internal`` if an element has another type, or the stream is malformed.
/// - Auth's error if the user's token isn't available; `CancellationError`.
///
/// After an error, the stream has ended. A call is never repeated.
public struct CallableStream<Element: Sendable>: AsyncSequence, Sendable {
  /// Makes a call, which begins with the first event.
  let begin: @Sendable () -> CallableStreamReader
  /// Decodes an event; returns `nil` for one that isn't an element.
  let decode: @Sendable (CallableStreamReader.Event) throws -> Element?

  /// Returns an iterator that makes its own call.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: begin(), decode: decode) }

  /// The position in a stream.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    /// Reads the events.
    fileprivate let reader: CallableStreamReader
    /// Decodes them.
    fileprivate let decode: @Sendable (CallableStreamReader.Event) throws -> Element?

    /// Returns the next element; `nil` after the last one. The first call makes the request.
    ///
    /// - Throws: see ``CallableStream``.
    public mutating func next() async throws -> Element? { try await reader.next(decode) }

    /// Returns the next element; `nil` after the last one. Equivalent to ``next()``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await reader.next(decode)
    }
  }
}
