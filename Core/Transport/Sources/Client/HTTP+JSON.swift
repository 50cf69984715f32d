package import TenonFoundation
import TenonHTTP
import TenonJSON
package import TenonJSONReader
package import TenonTransportInterop

extension TransportRequest {
  /// Creates a request whose body is a value encoded as JSON (RFC 8259), with the matching `Content-Type`.
  ///
  /// Members are sorted by name, so that equal values make equal requests. Values are encoded with
  /// `JSONEncoder`'s default strategies: a `Date` as the number of seconds since 1 January 2001, `Data` as
  /// Base64. Bodies of callable functions are encoded by `CallableCoding` of TenonCallable instead.
  ///
  /// ```swift
  /// let request = try TransportRequest.json(.post, url, ["idToken": token], deadline: .seconds(30))
  /// ```
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: an absolute `https` or `http` URL.
  ///   - value: the value to encode as the body.
  ///   - headers: further header fields. A `Content-Type` among them is replaced.
  ///   - deadline: the longest duration of the whole exchange; `nil` sets no limit.
  /// - Throws: `EncodingError` if JSON can't represent the value, for example a number that isn't finite;
  ///   what the value's own `encode(to:)` throws.
  package static func json(
    _ method: HTTPMethod,
    _ url: URL,
    _ value: some Encodable,
    headers: HTTPHeaders = HTTPHeaders(),
    deadline: Duration? = nil
  ) throws -> TransportRequest {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    var request = TransportRequest(
      method,
      url,
      headers: headers,
      body: .data(try encoder.encode(value)),
      deadline: deadline
    )
    request.headers["Content-Type"] = "application/json; charset=utf-8"
    return request
  }
}

extension TransportResponse {
  /// Whether the status is 2xx, success (RFC 9110, section 15.3).
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// Decodes the body as JSON, with `JSON.decode(_:from:limit:)`.
  ///
  /// The status isn't checked. See ``isSuccess``. Members that `Value` doesn't have are ignored.
  ///
  /// ```swift
  /// let tokens: TokenResponse = try response.decode()
  /// ```
  ///
  /// - Returns: the value.
  /// - Throws: `TransportError` with `invalidResponse` if the body isn't the JSON of a `Value`. The message
  ///   quotes the status and the beginning of the body; the underlying error is a `JSONError` or a
  ///   `DecodingError`.
  package func decode<Value: Decodable>(_: Value.Type = Value.self) throws(TransportError) -> Value {
    do { return try JSON.decode(Value.self, from: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The response (status \(status)) isn't the expected JSON: \(excerpt)",
        underlying: error
      )
    }
  }

  /// Parses the body as JSON of any form, as ``JSON/init(parsing:)`` does.
  ///
  /// The status isn't checked. See ``isSuccess``.
  ///
  /// - Returns: the value. Its type isn't checked; it may be any JSON value, not only an object.
  /// - Throws: `TransportError` with `invalidResponse` if the body isn't valid JSON. The message quotes the
  ///   status and the beginning of the body; the underlying error is a `JSONError`.
  package func json() throws(TransportError) -> JSON {
    do { return try JSON(parsing: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The response (status \(status)) isn't the expected JSON: \(excerpt)",
        underlying: error
      )
    }
  }

  /// The first 200 bytes of the body as quoted text, for error messages; `(empty)` if they contain only white
  /// space.
  ///
  /// White space at both ends is removed, invalid UTF-8 is replaced by U+FFFD, and a body of more than 200
  /// bytes is marked with an ellipsis. A character that the 200th byte divides counts as invalid. The text is
  /// what the server sent, which may be the page of a proxy.
  package var excerpt: String {
    let text = String(decoding: body.prefix(200), as: UTF8.self).trimmed
    return text.isEmpty ? "(empty)" : "\"\(text)\(body.count > 200 ? "…" : "")\""
  }
}
