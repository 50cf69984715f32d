import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The status and header fields of a response.
struct ResponseHead: Sendable {
  /// The status code.
  var status: Int
  /// The header fields, sorted by name.
  var headers: HTTPHeaders

  /// Returns `nil` if the response isn't one of HTTP. `URLSession` keeps fields in a dictionary, so they are sorted by name
  /// here.
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
