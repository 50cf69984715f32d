import Foundation
import Hummingbird
import InMemoryTracing
import MetricsTestKit
import TenonCore
import TenonStore
import TenonTestSupport
import TenonTransportInterop
import Testing
import Tracing

@testable import notes_server

/// The example server: notes and attachments of users, and what its operators see.
@Suite(.limited) struct NotesServerTests {
  @Test func usersHaveTheirOwnNotesAndAttachments() async throws {
    try await RunningServer.run { server in
      let (ann, ben) = (try await server.signUp(), try await server.signUp())
      let note = try await server.createNote("tea", token: ann)
      #expect(note.text == "tea")
      let list = try await server.send(.get, "/notes", token: ann)
      #expect(try JSONDecoder().decode([Note].self, from: Data(list.text.utf8)) == [note])
      #expect(try await server.send(.get, "/notes", token: ben).text == "[]")

      let path = "/notes/\(note.id)/attachment"
      #expect(try await server.send(.get, path, token: ann).status == 404)
      #expect(try await server.send(.put, path, token: ann, body: "leaves").status == 204)
      #expect(try await server.send(.get, path, token: ann).text == "leaves")
      #expect(try await server.send(.get, path, token: ben).status == 404)
      try await server.store.waitForPendingWrites()
      let stored = try await server.store.collectionGroup("notes").getDocuments(source: .server)
      #expect(stored.count == 1)
    }
  }

  @Test func onlySignedInUsersAreServed() async throws {
    try await RunningServer.run { server in
      let nobody = try await server.send(.get, "/notes")
      #expect(nobody.status == 401 && nobody.text.contains("Sign in first."))
      let forged = try await server.send(.get, "/notes", token: "e30.e30.e30")
      #expect(forged.status == 401 && forged.challenge == "Bearer")
      for path in ["/", "/health"] { #expect(try await server.send(.get, path).status == 200) }
      let token = try await server.signUp()
      #expect(try await server.send(.post, "/notes", token: token, body: "{}").status == 400)
    }
  }

  @Test func metricsAndTracesShowWhatARequestDid() async throws {
    try await RunningServer.run { server in
      let token = try await server.signUp()
      let note = try await server.createNote("tea", token: token)
      _ = try await server.send(.put, "/notes/\(note.id)/attachment", token: token, body: "leaves")
      try await server.store.waitForPendingWrites()

      let (spans, metrics) = (server.tracer.finishedSpans, server.metrics)
      let request = try #require(spans.first { $0.operationName.hasSuffix("/notes/{id}/attachment") })
      #expect(request.kind == .server && request.parentSpanID == nil)
      let upload = try #require(spans.first { $0.attributes.get("tenon.storage.bucket") == .string("notes") })
      #expect(upload.traceID == request.traceID && upload.parentSpanID == request.spanID)
      let sent = try #require(spans.first { $0.parentSpanID == upload.spanID })
      #expect(sent.kind == .client && sent.traceID == request.traceID)

      #expect(metrics.timers(label: "http.server.request.duration").count == 2)
      #expect(metrics.timers(label: "tenon.storage.transfer.duration").count == 1)
      #expect(metrics.counterTotal(label: "tenon.storage.transferred") == 6)
      #expect(metrics.counterTotal(label: "tenon.store.commits") > 0)
      let secrets = [token, "leaves"]
      #expect(!server.logLines.contains { line in secrets.contains { line.contains($0) } })
    }
  }
}
