import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The status and the header fields of a response.
struct ResponseHead: Sendable {
  /// The status code (RFC 9110, section 15).
  var status: Int
  /// The header fields, sorted by name. `URLSession` combines fields of the same name.
  var headers: HTTPHeaders

  /// Creates the head of a session's response.
  ///
  /// `URLSession` keeps the fields in a dictionary. They are sorted by name here, so that equal responses have equal heads.
  ///
  /// - Returns: `nil` if the response is not an HTTP response.
  init?(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return nil }
    status = response.statusCode
    let fields = response.allHeaderFields.compactMap { name, value -> HTTPField? in
      guard let name = name as? String, let value = value as? String else { return nil }
      return HTTPField(name: name, value: value)
    }
    headers = HTTPHeaders(fields.sorted { $0.name < $1.name })
  }
}
