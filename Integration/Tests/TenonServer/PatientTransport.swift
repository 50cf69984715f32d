import TenonCore
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// HTTP without deadlines. On a busy machine, a thousand tests share two processors, and a response may wait
/// for its turn longer than the products allow.
struct PatientTransport: TransportInterop {
  private static let real = SystemTransport()

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await Self.real.send(patient(request))
  }

  func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    try await Self.real.stream(patient(request))
  }

  private func patient(_ request: TransportRequest) -> TransportRequest {
    var request = request
    request.deadline = nil
    return request
  }
}

extension Trait where Self == OverridesTrait {
  /// Makes the products' HTTP requests wait without a limit.
  static var patient: Self {
    .overrides { Component((any TransportInterop).self) { _ in PatientTransport() } }
  }
}
