import Dispatch
import Foundation
import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop

/// An HTTP server on this machine whose responses are those of the embedded backend. Its clients know only
/// its port and Firebase's protocols.
final class BackendServer: Sendable {
  static let projectID = "demo-faults"

  let port: UInt16
  private let server: LoopbackServer
  private let app: App

  init() throws {
    let app = try App.configure(
      name: "backend-\(UUID())",
      options: AppOptions(
        projectID: Self.projectID, backend: .embedded(directory: nil), libraries: ["tenon-embedded"]))
    let embedded = try Embedded.embedded(app: app)
    embedded.settings.appCheckRequired = [.auth]
    self.app = app
    server = try LoopbackServer { request in [Self.answer(to: request, by: embedded)] }
    port = server.port
  }

  func stop() async {
    server.stop()
    await app.delete()
  }

  /// Returns a user of the backend, without any faults; `nil` if the user doesn't exist.
  func user(_ uid: String) async throws -> JSON? {
    let path = "identitytoolkit.googleapis.com/v1/projects/\(Self.projectID)/accounts:lookup"
    var request = try TransportRequest.json(.post, server.url("/\(path)"), ["localId": [uid]])
    request.headers.add("Authorization", "Bearer owner")
    return try JSON(parsing: try await SystemTransport.shared.send(request).body)["users"]?.array?.first
  }

  /// The server's thread waits for the backend, which runs on other threads.
  private static func answer(to request: LoopbackServer.Request, by embedded: Embedded) -> LoopbackServer.Step
  {
    guard let url = URL(string: "http://127.0.0.1\(request.target)") else { return .hangUp }
    let fields = request.fields.map { HTTPHeader(name: $0.name, value: $0.value) }
    let asked = TransportRequest(
      HTTPMethod(rawValue: request.method), url, headers: HTTPHeaders(fields),
      body: request.body.isEmpty ? .none : .data(request.body))
    let answer = Lock<TransportResponse?>(nil)
    let isAnswered = DispatchSemaphore(value: 0)
    Task {
      let response = try? await embedded.send(asked)
      answer.withLock { $0 = response }
      isAnswered.signal()
    }
    isAnswered.wait()
    guard let response = answer.withLock({ $0 }) else { return .hangUp }
    let own = response.headers.fields.filter { $0.name.lowercased() != "content-length" }
    let named = Dictionary(own.map { ($0.name, $0.value) }) { first, _ in first }
    return .answer(response.status, named, response.body)
  }
}
