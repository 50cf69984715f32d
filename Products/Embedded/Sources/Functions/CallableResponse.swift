import TenonCallable
import TenonFoundation
import TenonTransport

/// The response of a streaming function, to which it sends messages before it returns its result.
///
/// ```swift
/// embedded.onCall("count") { (request: CallableRequest<Int>, response: CallableResponse<Int>) in
///   for number in 0..<min(request.data, 1_000) { try await response.sendChunk(number) }
///   return "done"
/// }
/// ```
public struct CallableResponse<Message: Encodable & Sendable>: Sendable {
  /// Sends messages in the protocol's encoding.
  let sender: ChunkSender

  /// Sends a message to the caller. Waits while earlier messages haven't been read, except for 64 KiB.
  ///
  /// Messages of concurrent calls arrive in an unspecified order.
  ///
  /// - Parameter chunk: the message, which is encoded with the callable protocol.
  /// - Returns: whether the message was sent; `false` if the caller reads only the result
  ///   (``CallableRequest/acceptsStreaming``).
  /// - Throws: `EncodingError` if the message has no JSON form; ``CallableError`` with `RESOURCE_EXHAUSTED`
  ///   if it has more than 32 MiB; `CancellationError` if the caller has left or the time of the function is
  ///   over.
  @discardableResult
  public func sendChunk(_ chunk: Message) async throws -> Bool {
    guard sender.isAccepted else { return false }
    try await sender.send(try CallableCoding.encode(chunk))
    return true
  }
}

/// Sends the messages of a function.
struct ChunkSender: Sendable {
  /// The channel of the response; `nil` if the caller reads only the result.
  let channel: ChunkChannel?

  /// Whether the caller reads messages.
  var isAccepted: Bool { channel != nil }

  /// Sends a message, which is dropped if the caller reads only the result.
  ///
  /// - Throws: the errors of ``CallableResponse/sendChunk(_:)``.
  func send(_ message: JSON) async throws {
    try await channel?.send(try Self.event(["message": message]))
  }

  /// Returns an event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  ///
  /// - Parameter body: an object with the member `message`, `result` or `error`.
  static func event(_ body: JSON) throws -> Data {
    // JSON text on one line contains no line breaks.
    Data("data: ".utf8) + (try CallableService.text(of: body)) + Data("\n\n".utf8)
  }

  /// A comment, which shows that the connection is alive.
  static let heartbeat = Data(": ping\n\n".utf8)
}
