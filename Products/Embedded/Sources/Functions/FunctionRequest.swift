public import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// A request to a function that is registered with ``Embedded/onRequest(_:region:cors:timeout:_:)``.
public struct FunctionRequest: Sendable {
  /// The method, for example `POST`.
  public let method: String
  /// The path below the function's, percent-encoded as the client sent it: `/` for the function's URL.
  public let path: String
  /// The query, percent-encoded, without the question mark; empty if there is none.
  public let query: String
  /// The content.
  public let body: Data
  /// The user of the ID token in `Authorization`; `nil` without a valid one. Other credentials are for the
  /// function to check.
  public let auth: RequestAuth?
  /// The app, according to its App Check token; `nil` without a valid one.
  public let app: CallableApp?
  /// The header fields in the order of the request.
  let fields: HTTPHeaders

  /// The header fields in the order of the request.
  public var headers: [(name: String, value: String)] { fields.fields.map { ($0.name, $0.value) } }

  /// Returns the value of a header field; `nil` if there is none. The name is compared without case.
  ///
  /// - Parameter name: the name, for example `Content-Type`.
  public func header(_ name: String) -> String? { fields[name] }

  /// Returns the values of a name in the query, decoded, in their order.
  ///
  /// - Parameter name: the name.
  public func queryValues(_ name: String) -> [String] {
    query.utf8.split(separator: UInt8(ascii: "&")).compactMap { item in
      let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map { Self.decoded(Substring($0)) }
      return sides[0] == name ? (sides.count == 2 ? sides[1] : "") : nil
    }
  }

  /// Decodes the content as JSON.
  ///
  /// - Parameter type: the type.
  /// - Throws: an error that names what is wrong.
  public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try JSON(parsing: body).decode(type)
  }

  private static func decoded(_ text: Substring) -> String {
    let text = String(text.replacing("+", with: " "))
    return PercentEncoding.decode(text) ?? text
  }
}
