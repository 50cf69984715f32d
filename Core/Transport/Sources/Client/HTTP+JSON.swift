package import Foundation
package import TenonTransportInterop

extension HTTPRequest {
  /// A request whose content is a value as JSON.
  package static func json(
    _ method: HTTPMethod,
    _ url: URL,
    _ value: some Encodable,
    headers: HTTPHeaders = HTTPHeaders(),
    deadline: Duration? = nil
  ) throws -> HTTPRequest {
    let encoder = JSONEncoder()
    // Sorted, so that the same value always makes the same request.
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
  /// Whether the status is one of 2xx.
  package var isSuccess: Bool { (200..<300).contains(status) }

  /// The content as a value.
  ///
  /// - Throws: `invalidResponse`, with the beginning of what came instead.
  package func decode<Value: Decodable>(_: Value.Type = Value.self) throws(TransportError) -> Value {
    do { return try JSONDecoder().decode(Value.self, from: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The answer (status \(status)) is not the JSON that was expected: \(excerpt)",
        underlying: error
      )
    }
  }

  /// The content as JSON of any form.
  ///
  /// - Throws: `invalidResponse`, with the beginning of what came instead.
  package func json() throws(TransportError) -> JSON {
    do { return try JSON(parsing: body) } catch {
      throw TransportError(
        .invalidResponse,
        "The answer (status \(status)) is not the JSON that was expected: \(excerpt)",
        underlying: error
      )
    }
  }

  /// The beginning of the content as text, for messages.
  package var excerpt: String {
    let text = String(decoding: body.prefix(200), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? "(empty)" : "\"\(text)\(body.count > 200 ? "…" : "")\""
  }
}
