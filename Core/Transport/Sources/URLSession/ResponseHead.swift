import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Status and fields of an answer.
struct ResponseHead: Sendable {
  var status: Int
  var headers: HTTPHeaders

  /// `nil` when the response is none of HTTP. `URLSession` keeps fields in a dictionary, so they come sorted by name.
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
