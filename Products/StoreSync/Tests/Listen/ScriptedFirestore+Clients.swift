import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonAdminInterop
  import TenonAuthInterop
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop

  @testable import TenonStoreSync

  extension ScriptedFirestore {
    /// The connection of an app to this server.
    func client(
      auth: (any AuthInterop)? = nil, appCheck: FakeAppCheck? = nil, time: TimeSource = .system
    ) -> FirestoreClient {
      FirestoreClient(
        http: HTTPClient(transport: SystemTransport.shared, time: time), auth: auth, appCheck: appCheck,
        options: AppOptions(
          projectID: "p", backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory))
    }

    /// Returns the client of an app in production, whose requests arrive at this server.
    func productionClient(admin: any AdminInterop) -> FirestoreClient {
      FirestoreClient(
        http: HTTPClient(transport: Rerouted(port: port)), auth: nil, appCheck: nil, admin: { admin },
        options: AppOptions(projectID: "p", data: .memory))
    }

    /// Sends all requests to a port of this machine.
    private struct Rerouted: TransportInterop {
      let port: UInt16

      private func rerouted(_ request: TransportRequest) -> TransportRequest {
        var (request, parts) = (request, URLComponents(url: request.url, resolvingAgainstBaseURL: false))
        parts?.scheme = "http"
        parts?.host = "127.0.0.1"
        parts?.port = Int(port)
        request.url = parts?.url ?? request.url
        return request
      }

      func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await SystemTransport.shared.send(rerouted(request))
      }

      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        try await SystemTransport.shared.stream(rerouted(request))
      }
    }
  }
#endif
