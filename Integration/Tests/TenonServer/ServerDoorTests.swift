import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Who may do what over HTTP, with the flags of `tenon-server`. The tests of the embedded backend have
/// every combination.
@Suite(.limited) struct ServerDoorTests {
  private static let name = "projects/\(ServedBackend.project)/databases/(default)/documents"
  private static let owner = ["Authorization": "Bearer owner"]

  private func commit(
    _ server: ServedBackend, _ path: String, _ condition: JSON? = nil, headers: [String: String] = [:]
  ) async throws -> Int {
    let write = JSON.members([
      "update": ["name": .string("\(Self.name)/\(path)")], "currentDocument": condition,
    ])
    return try await server.send(.post, "/v1/\(Self.name):commit", ["writes": [write]], headers: headers)
      .status
  }

  @Test func theServerDeniesFirst() async throws {
    try await withServedBackend(arguments: ["--protect-documents", "--single-project"]) { server in
      #expect(try await commit(server, "users/ann/notes/n1", headers: Self.owner) == 200)
      for path in ["users/ann/notes/n1", "users/ann/notes/none"] {
        for condition in [
          ["exists": true], ["exists": false], ["updateTime": "2026-01-01T00:00:00Z"],
        ] as [JSON] { #expect(try await commit(server, path, condition) == 403, "\(path) \(condition)") }
      }
      let group: JSON = ["structuredQuery": ["from": [["collectionId": "notes", "allDescendants": true]]]]
      #expect(try await server.send(.post, "/v1/\(Self.name):runQuery", group).status == 403)
      let found = try await server.send(.post, "/v1/\(Self.name):runQuery", group, headers: Self.owner)
      #expect(
        found.status == 200 && String(decoding: found.body, as: UTF8.self).contains("users/ann/notes/n1"))
      let other = "/emulator/v1/projects/other/accounts"
      #expect(try await server.send(.delete, other, headers: Self.owner).status == 404)
    }
  }

  @Test func anAppIsRequiredOfEveryServiceButNotOfAdministrators() async throws {
    try await withServedBackend(arguments: ["--require-app-check"]) { server in
      let page = ["Content-Type": "text/html"]
      let upload = "/upload/storage/v1/b/b/o?uploadType=media&name=page"
      #expect(try await server.send(.post, upload, "<script>", headers: page).status == 401)
      for credential in ["owner", "ya29.token"] {
        let administrator = ["Authorization": "Bearer \(credential)"]
        let stored = try await server.send(
          .post, upload, "<script>", headers: page.merging(administrator) { $1 })
        #expect(stored.status == 200)
        for path in ["/storage/v1/b/b/o/page?alt=media", "/v0/b/b/o/page?alt=media"] {
          #expect(try await server.send(.get, path).status == 401)
          let content = try await server.send(.get, path, headers: administrator)
          #expect(content.status == 200 && content.headers["Content-Security-Policy"] == "sandbox")
        }
        let call = "/\(ServedBackend.project)/us-central1/whoami"
        #expect(try await server.send(.post, call, ["data": .null]).status == 401)
        #expect(try await server.send(.post, call, ["data": .null], headers: administrator).status == 200)
        #expect(try await commit(server, "a/b") == 401)
        #expect(try await commit(server, "a/b", headers: administrator) == 200)
      }
    }
  }
}
