/// An element of the stream of a function that returns a result after its messages.
///
/// ```swift
/// let tell: Callable<String, StreamResponse<String, Int>> = functions.httpsCallable("tell")
/// for try await response in try tell.stream("a story") {
///   switch response {
///   case .message(let sentence): print(sentence)
///   case .result(let count): print("\(count) sentences")
///   }
/// }
/// ```
public enum StreamResponse<Message: Sendable, Result: Sendable>: Sendable {
  /// A message, which the function sent with `sendChunk`.
  case message(Message)
  /// The function's result, which is the last element.
  case result(Result)
}

extension StreamResponse: Equatable where Message: Equatable, Result: Equatable {}
extension StreamResponse: Hashable where Message: Hashable, Result: Hashable {}

extension StreamResponse: Decodable where Message: Decodable, Result: Decodable {
  private enum CodingKeys: String, CodingKey { case message, result }

  /// Decodes an object with the member `message` or `result`, which is the form of the protocol's events.
  ///
  /// - Throws: `DecodingError` if the object has neither, or if its value has another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.message) {
      self = .message(try container.decode(Message.self, forKey: .message))
    } else {
      self = .result(try container.decode(Result.self, forKey: .result))
    }
  }
}

/// A type that is decoded from whole events, including the one with the result.
protocol WholeEvent: Decodable {}

extension StreamResponse: WholeEvent where Message: Decodable, Result: Decodable {}
