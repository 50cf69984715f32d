import Foundation
import TenonHTTP
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// A timeout in seconds that is longer than any exchange. `URLSession` would limit the time without data;
  /// the transport's deadlines limit the whole exchange instead.
  private static let noTimeout: TimeInterval = 7 * 24 * 60 * 60

  /// Creates a session's request from a checked `TransportRequest`. A body from a file or a stream is left
  /// out; the session's task adds it.
  ///
  /// - Parameter request: the request, for which `TransportRequest.checked()` has succeeded. Fields with
  ///   equal names are added in their order. The deadline and the timeouts aren't transferred.
  init(_ request: TransportRequest) {
    self.init(url: request.url, timeoutInterval: Self.noTimeout)
    httpMethod = request.method.rawValue
    for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    if case .data(let data) = request.body { httpBody = data }
  }
}
