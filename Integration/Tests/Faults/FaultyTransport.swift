import Foundation
import TenonTransport
import TenonTransportInterop

/// Sends what is meant for Firebase's servers through a port of this machine, as emulators have it: with the host as the
/// first part of the path.
struct FaultyTransport: TransportInterop {
  /// Connections of their own, as a process has them.
  private let transport = URLSessionTransport()
  let port: UInt16
  /// How long it waits for an answer.
  var patience = Duration.seconds(30)

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await transport.send(try redirected(request))
  }

  func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    try await transport.stream(try redirected(request))
  }

  private func redirected(_ request: HTTPRequest) throws -> HTTPRequest {
    var components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    let path = components?.percentEncodedPath ?? ""
    components?.percentEncodedPath = "/\(request.url.host() ?? "")\(path)"
    components?.scheme = "http"
    components?.host = "127.0.0.1"
    components?.port = Int(port)
    guard let url = components?.url else { throw TransportError(.invalidRequest, "\(request.url)") }
    var request = request
    request.url = url
    request.deadline = min(request.deadline ?? patience, patience)
    return request
  }
}
