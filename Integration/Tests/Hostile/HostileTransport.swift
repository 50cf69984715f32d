import Foundation
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// Sends requests for any server to a port of this machine, with the host as the first segment of the path.
final class HostileTransport: TransportInterop {
  /// The transport under test.
  let transport: SystemTransport
  /// The port of the hostile server.
  let port: UInt16
  /// The time to wait for a complete response.
  let patience = Lock(HostileTransport.longest)

  /// More than any exchange takes that doesn't end with its deadline.
  static let longest = Duration.seconds(60)
  /// The maximum size of a response's body in bytes, so that a server can't fill the memory of this machine.
  static let largestBody = 1 << 20

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: sends the requests.
  ///   - port: the port of the hostile server.
  init(transport: SystemTransport, port: UInt16) {
    self.transport = transport
    self.port = port
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await transport.send(try redirected(request))
  }

  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    try await transport.stream(try redirected(request))
  }

  private func redirected(_ request: TransportRequest) throws -> TransportRequest {
    var request = request
    request.url = try request.url(on: port)
    let patience = patience.withLock { $0 }
    request.deadline = min(request.deadline ?? patience, patience)
    request.limits.bodyBytes = min(request.limits.bodyBytes, Self.largestBody)
    return request
  }
}

extension TimeSource {
  /// The clocks of this machine, without the waits between attempts.
  static let impatient = TimeSource(
    sleep: { duration in
      guard duration > .seconds(40) else { return }
      try await TimeSource.system.sleep(duration)
    },
    random: { 0 })
}
