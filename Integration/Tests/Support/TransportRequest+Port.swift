import Foundation
import TenonTransport
import TenonTransportInterop

extension TransportRequest {
  /// Returns the URL of this request at a port of this machine, in the form for emulators: over plain HTTP,
  /// with the host as the first segment of the path.
  ///
  /// - Parameter port: the port.
  func url(on port: UInt16) throws -> URL {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let path = components?.percentEncodedPath ?? ""
    components?.percentEncodedPath = "/\(url.host() ?? "")\(path)"
    components?.scheme = "http"
    components?.host = "127.0.0.1"
    components?.port = Int(port)
    guard let url = components?.url else { throw TransportError(.invalidRequest, "\(url)") }
    return url
  }
}
