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

  @Test func onlyAKnownSignerSignsURLs() async throws {
    let key = """
      -----BEGIN PUBLIC KEY-----
      MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArgfHtoGq1Z8n30rrLc6a
      TiWjydPKnHkDsJ7QhAhs0932DxwTWRPslfkca/Xbk8Ev/Ep3LU76zm8uQsgwW1Tl
      oZoKFZmLc+DFSQotrdcCDLzPzHNCtRq+R9P7HV2JD5VTYtPyPwp3BAjDEFwgihBV
      cpG7gSVTuQB/3me7e22f2GS7PT8J9MJ72iO3CNKlcmxXi5FwWh36MMkmA/2ZiCuj
      abNrjqDq6PkKfC/7XJi4e3wUxwn2JxXQGYd7+8e4H3mZdNOUgF3JvR6a28nFbxUY
      m+ir3AoUrJnIFnpxqf0gXqhGU6/nEFJR5W2+QXVA4qa0aq8BxhhD96Qlye1vD1uB
      ywIDAQAB
      -----END PUBLIC KEY-----
      """
    try await withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let file = directory.appending(path: "key.pem")
      try Data(key.utf8).write(to: file)
      let date = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
      func url(_ signer: String) -> String {
        "/b/page?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=\(signer)%2F\(date.prefix(8))%2Fauto%2Fstorage"
          + "%2Fgoog4_request&X-Goog-Date=\(date)&X-Goog-Expires=60&X-Goog-SignedHeaders=host&X-Goog-Signature=00"
      }
      for (arguments, statuses) in [
        ([], [200, 200]), (["--url-signer", "a@b.c=\(file.path)"], [403, 403]),
      ] {
        try await withServedBackend(arguments: arguments) { server in
          let upload = "/upload/storage/v1/b/b/o?uploadType=media&name=page"
          #expect(try await server.send(.post, upload, "x", headers: Self.owner).status == 200)
          let answers = [
            try await server.send(.get, url("a@b.c")), try await server.send(.get, url("d@b.c")),
          ]
          #expect(
            answers.map(\.status) == statuses, "\(answers.map { String(decoding: $0.body, as: UTF8.self) })")
        }
      }
      for argument in ["a@b.c", "a@b.c=\(directory.path)/none", "\(file.path)"] {
        let result = try await Executable("tenon-server").run([
          "--port", "0", "--memory", "--url-signer", argument,
        ])
        #expect(
          result.status == 64 && result.errors.contains("url-signer") || result.errors.contains("public key"))
      }
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
