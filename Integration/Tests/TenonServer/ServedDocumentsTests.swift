import Foundation
import TenonAuth
import TenonCore
import TenonDocuments
import TenonEmbedded
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The documents of `tenon-server` over HTTP: plain requests in the forms of Firestore's web clients.
@Suite(.limited) struct ServedDocumentsTests {
  private static let name = "projects/\(ServedBackend.project)/databases/(default)"

  /// A session that listens to the rooms.
  private struct Listening {
    let server: ServedBackend
    let id: String

    static let path = "/google.firestore.v1.Firestore/Listen/channel?VER=8"

    init(_ server: ServedBackend) async throws {
      self.server = server
      let query = #"{"parent":"\#(name)/documents","structuredQuery":{"from":[{"collectionId":"rooms"}]}}"#
      let message = #"{"database":"\#(name)","addTarget":{"query":\#(query),"targetId":2}}"#
      let form = "count=1&ofs=0&req0___data__=\(Self.encoded(message))"
      let request = TransportRequest(
        .post,
        try #require(
          URL(string: "http://\(server.address)\(Self.path)&database=\(Self.encoded(name))&RID=5&CVER=22")),
        body: .data(Data(form.utf8)))
      let response = try await SystemTransport().send(request)
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(response.status == 200, "\(text)")
      let json = try JSON(parsing: Data(text.drop { $0 != "[" }.utf8))
      id = try #require(json.array?[0].array?[1].array?[1].string)
    }

    private static func encoded(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Reads the back channel until its text fulfils a condition.
    func read(until isEnough: (String) -> Bool) async throws -> String {
      let url = try #require(
        URL(string: "http://\(server.address)\(Self.path)&SID=\(id)&RID=rpc&AID=0&CI=0&TYPE=xmlhttp"))
      let response = try await SystemTransport().stream(TransportRequest(.get, url))
      #expect(response.status == 200)
      var text = ""
      for try await piece in response.body {
        text += String(decoding: piece, as: UTF8.self)
        if isEnough(text) { return text }
      }
      Issue.record("The back channel ended: \(text)")
      return text
    }

    func terminate() async throws {
      #expect(try await server.send(.get, "\(Self.path)&SID=\(id)&RID=9&TYPE=terminate").status == 200)
      #expect(
        try await server.send(.get, "\(Self.path)&SID=\(id)&RID=rpc&AID=0&CI=0&TYPE=xmlhttp").status == 400)
    }
  }

  private func commit(
    _ server: ServedBackend, _ path: String, headers: [String: String] = [:]
  ) async throws -> TransportResponse {
    let update: JSON = ["name": .string("\(Self.name)/documents/\(path)")]
    return try await server.send(
      .post, "/v1/\(Self.name)/documents:commit", ["writes": [["update": update]]], headers: headers)
  }

  @Test func aCommitReachesAListenerOfAnotherConnection() async throws {
    try await withServedBackend { server in
      let listening = try await Listening(server)
      #expect(try await commit(server, "rooms/den").status == 200)
      let text = try await listening.read { $0.contains("rooms/den") }
      #expect(text.contains(#""targetChangeType":"ADD""#))
      let read = try await server.send(.get, "/v1/\(Self.name)/documents/rooms/den")
      #expect(read.status == 200 && read.headers["Content-Type"] == "application/json; charset=utf-8")
      try await listening.terminate()
    }
  }

  @Test func aCommitOfAnotherProcessReachesAListener() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("served-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await withServedBackend(directory: directory) { server in
      let listening = try await Listening(server)
      let options = AppOptions(
        projectID: ServedBackend.project, backend: .embedded(directory: directory.path), data: .memory)
      let app = try App.configure(name: "shared-\(UUID())", options: options)
      try await Embedded.embedded(app: app).documents().set("rooms/attic", ["n": 1])
      _ = try await listening.read { $0.contains("rooms/attic") }
      #expect(try await commit(server, "rooms/den").status == 200)
      #expect(try await Embedded.embedded(app: app).documents().get("rooms/den") == [:])
      await app.delete()
      try await listening.terminate()
    }
  }

  @Test func documentsSurviveTheServer() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("served-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let killed = try await ServedBackend(directory: directory)
    let status = try await commit(killed, "rooms/den").status
    _ = await killed.stop(by: SIGKILL)
    #expect(status == 200)
    try await withServedBackend(directory: directory) { server in
      let read = try await server.send(.get, "/v1/\(Self.name)/documents/rooms/den")
      #expect(read.status == 200)
    }
  }

  @Test func rulesRefuseTheDocumentsOfOthers() async throws {
    try await withServedBackend(arguments: ["--protect-documents"]) { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        let user = try await auth.signInAnonymously().user
        let token = ["Authorization": "Bearer \(try await user.getIDToken())"]
        #expect(try await commit(server, "users/\(user.uid)/notes/a", headers: token).status == 200)
        #expect(try await commit(server, "users/other/notes/a", headers: token).status == 403)
        #expect(try await commit(server, "users/\(user.uid)/notes/a").status == 403)
        #expect(
          try await commit(server, "users/other", headers: ["Authorization": "Bearer owner"]).status == 200)
        #expect(try await commit(server, "a/b", headers: ["Authorization": "Bearer x"]).status == 401)
      }
    }
  }

  @Test func pagesMayUseChannelsWithCredentials() async throws {
    try await withServedBackend { server in
      let origin = "http://localhost:3000"
      let answer = try await server.send(.get, Listening.path, headers: ["Origin": origin])
      #expect(answer.status == 400)
      #expect(answer.headers["Access-Control-Allow-Origin"] == origin)
      #expect(answer.headers["Access-Control-Allow-Credentials"] == "true")
      let exposed = answer.headers["Access-Control-Expose-Headers"] ?? ""
      for name in ["x-client-wire-protocol", "x-http-session-id", "x-http-initial-response"] {
        #expect(exposed.contains(name))
      }
      let other = try await server.send(.get, Listening.path, headers: ["Origin": "https://example.com"])
      #expect(other.status == 403 && other.headers["Access-Control-Allow-Credentials"] == nil)
    }
  }

  @Test func manyListenersAreConnected() async throws {
    try await withServedBackend { server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask {
            let listening = try await Listening(server)
            _ = try await listening.read { $0.contains("rooms/den") }
            try await listening.terminate()
          }
        }
        #expect(try await commit(server, "rooms/den").status == 200)
        try await group.waitForAll()
      }
    }
  }
}
