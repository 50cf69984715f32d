package import Foundation
package import TenonTransportInterop

extension HTTPRequest {
  /// Creates a request whose body is a value as JSON, with the matching `Content-Type`.
  ///
  /// Members are sorted by name, so that equal values make equal requests.
  ///
  /// - Throws: `EncodingError` if JSON can't represent the value.
  package static func json(
    _ method: HTTPMethod,
    _ url: URL,
    _ value: some Encodable,
    headers: HTTPHeaders = HTTPHeaders(),
    deadline: Duration? = nil
  ) throws -> HTTPRequest {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    var request = HTTPRequest(
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

extension HTTPResponse {
  /// Whether the status is 2xx, success.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// Decodes the body as JSON.
  ///
  /// - Throws: `invalidResponse`, with the beginning of the body.
  package func decode<Value: Decodable>(_: Value.Type = Value.self) throws(TransportError) -> Value {
    do { return try JSONDecoder().decode(Value.self, from: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The response (status \(status)) is not the expected JSON: \(excerpt)",
        underlying: error
      )
    }
  }

  /// Parses the body as JSON of any form.
  ///
  /// - Throws: `invalidResponse`, with the beginning of the body.
  package func json() throws(TransportError) -> JSON {
    do { return try JSON(parsing: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The response (status \(status)) is not the expected JSON: \(excerpt)",
        underlying: error
      )
    }
  }

  /// The first 200 bytes of the body as quoted text, for error messages; `(empty)` if there are none.
  package var excerpt: String {
    let text = String(decoding: body.prefix(200), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? "(empty)" : "\"\(text)\(body.count > 200 ? "…" : "")\""
  }
}
