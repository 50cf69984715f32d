import Foundation
import Hummingbird
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import ServerAdapters
import ServiceLifecycle
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonObservabilityInterop
import TenonStore
import TenonTransport
import TenonTransportInterop
import Testing
import Tracing

@testable import notes_server

/// The example server as a program runs it, with its app, on a free port and with an embedded backend.
struct RunningServer: Sendable {
  let app: App
  let store: Store
  let port: Int
  let group: ServiceGroup
  let tracer: InMemoryTracer
  let metrics: TestMetrics
  let log: InMemoryLogHandler

  /// Runs a server, and ends it gracefully after a closure unless that did so.
  ///
  /// - Parameters:
  ///   - directory: the folder of the backend and of the server's databases; in memory if `nil`.
  ///   - limit: how long the app may take to send pending writes.
  static func run(
    in directory: URL? = nil, flushingWithin limit: Duration = .seconds(30),
    _ body: (RunningServer) async throws -> Void
  ) async throws {
    let (tracer, metrics, log) = (InMemoryTracer(), TestMetrics(), InMemoryLogHandler())
    let logger = Logger(label: "notes") { _ in log }
    let options = AppOptions(
      projectID: "demo-notes", storageBucket: "notes",
      backend: .embedded(directory: directory?.appending(path: "backend").path),
      data: directory.map { .directory($0.appending(path: "data").path) } ?? .memory)
    // An app with the name of an earlier one finds its files.
    let name = directory?.lastPathComponent ?? UUID().uuidString
    let app = try App.configure(name: "notes-\(name)", options: options) {
      Component((any ObservabilityInterop).self) { _ in
        LoggingObservability(
          logger, next: MetricsObservability(metrics, next: TracingObservability(tracer)))
      }
    }
    let store = try Store.store(app: app, as: .admin)
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    let address = BindAddress.hostname("127.0.0.1", port: 0)
    let server = try notesServer(app, address: address, flushingWithin: limit, logger: logger) { port in
      if let port { continuation.yield(port) }
    }
    let group = ServiceGroup(services: [server], logger: logger)
    let running = Task {
      defer { continuation.finish() }
      try await withMetricsFactory(metrics) {
        try await withTracer(tracer) { try await group.run() }
      }
    }
    do {
      for await port in ports {
        try await body(
          RunningServer(
            app: app, store: store, port: port, group: group, tracer: tracer, metrics: metrics, log: log))
        break
      }
    } catch {
      await group.triggerGracefulShutdown()
      _ = try? await running.value
      throw error
    }
    await group.triggerGracefulShutdown()
    try await running.value
  }

  /// What was logged.
  var logLines: [String] { log.entries.map { "\($0.message) \($0.metadata)" } }

  /// Returns the ID token of a new user.
  func signUp() async throws -> String {
    let auth = try Auth.auth(app: app)
    let user = try await auth.createUser(withEmail: "\(UUID())@example.com", password: "correct horse").user
    return try await user.getIDToken()
  }

  /// Sends a request with an ID token.
  func send(
    _ method: HTTPMethod, _ path: String, token: String? = nil, body: String? = nil
  ) async throws -> Answer {
    try await Answer.to(
      method, path, at: port, fields: token.map { ["Authorization": "Bearer \($0)"] } ?? [:], body: body)
  }

  /// Creates a note and returns it; throws if the server doesn't answer with the status 201.
  func createNote(_ text: String, token: String) async throws -> Note {
    let answer = try await send(.post, "/notes", token: token, body: #"{"text": "\#(text)"}"#)
    guard answer.status == 201 else { throw UnexpectedStatus(status: answer.status) }
    return try JSONDecoder().decode(Note.self, from: Data(answer.text.utf8))
  }
}

struct UnexpectedStatus: Error {
  let status: Int
}

/// The response of a server.
struct Answer {
  let status: Int
  let text: String
  /// How a client may sign in, `WWW-Authenticate`.
  let challenge: String?

  static func to(
    _ method: HTTPMethod, _ path: String, at port: Int, fields: [String: String] = [:], body: String? = nil
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
    var headers = HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) })
    if body != nil { headers.fields.append(HTTPHeader(name: "Content-Type", value: "application/json")) }
    let response = try await SystemTransport.shared.send(
      TransportRequest(
        method, url, headers: headers, body: body.map { .data(Data($0.utf8)) } ?? .none,
        deadline: .seconds(20)))
    return Answer(
      status: response.status, text: String(decoding: response.body, as: UTF8.self),
      challenge: response.headers.fields.first { $0.name.lowercased() == "www-authenticate" }?.value)
  }
}

/// Calls a closure with a new folder, which is removed afterwards.
func withTemporaryFolder(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "notes-server-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder)
}
