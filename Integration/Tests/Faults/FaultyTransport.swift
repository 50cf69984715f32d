import Foundation
import TenonTransport
import TenonTransportInterop

/// Sends requests for Firebase's servers to a port of this machine, in the form for emulators: with the host
/// as the first segment of the path.
struct FaultyTransport: TransportInterop {
  /// A separate session, with its own connections, like another process.
  private let transport = SystemTransport()
  let port: UInt16
  /// The time to wait for a response.
  var patience = Duration.seconds(30)

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await transport.send(try redirected(request))
  }

  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    try await transport.stream(try redirected(request))
  }

  private func redirected(_ request: TransportRequest) throws -> TransportRequest {
    var request = request
    request.url = try request.url(on: port)
    request.deadline = min(request.deadline ?? patience, patience)
    return request
  }
}
