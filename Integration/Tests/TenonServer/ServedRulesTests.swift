import Foundation
import TenonAuth
import TenonCore
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Rules files of `tenon-server`.
@Suite(.limited) struct ServedRulesTests {
  private static let name = "projects/\(ServedBackend.project)/databases/(default)"

  private static func rules(_ condition: String) -> String {
    """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /rooms/{room} { allow read, write: if \(condition); }
      }
    }
    """
  }

  private func file(_ name: String, _ content: String, in directory: URL) throws -> String {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appending(path: name)
    try Data(content.utf8).write(to: file, options: .atomic)
    return file.path
  }

  private func read(_ server: ServedBackend, _ path: String, token: String? = nil) async throws -> Int {
    let headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    return try await server.send(.get, "/v1/\(Self.name)/documents/\(path)", headers: headers).status
  }

  @Test func aRulesFileDecidesAboutDocumentsAndIsReadAgainWhenItChanges() async throws {
    try await withTemporaryDirectory { directory in
      let path = try file("firestore.rules", Self.rules("request.auth != null"), in: directory)
      try await withServedBackend(arguments: ["--rules", path]) { server in
        try await server.withApp { app in
          let token = try await Auth.auth(app: app).signInAnonymously().user.getIDToken()
          #expect(try await read(server, "rooms/den") == 403)
          #expect(try await read(server, "rooms/den", token: token) == 404)
          #expect(try await read(server, "other/den", token: token) == 403)
          // Rules that can't be used leave the previous ones in force.
          _ = try file("firestore.rules", "service cloud.firestore { match", in: directory)
          _ = await server.process.errors { $0.contains("remain") }
          #expect(try await read(server, "rooms/den") == 403)
          _ = try file("firestore.rules", Self.rules("true"), in: directory)
          _ = await server.process.errors { $0.contains("apply") }
          #expect(try await read(server, "rooms/den") == 404)
        }
      }
    }
  }

  @Test(arguments: ["--rules", "--storage-rules"])
  func rulesThatCannotBeUsedAreAnErrorWithTheirPlace(option: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = try file(
        "wrong.rules", "service cloud.firestore {\n  match /x { allow read: if true;; }\n}", in: directory)
      let result = try await Executable("tenon-server").run(["--port", "0", "--memory", option, path])
      #expect(result.status != 0 && result.errors.contains("\(path):2:"), "\(result.errors)")
      let missing = directory.appending(path: "none.rules").path
      let second = try await Executable("tenon-server").run(["--port", "0", "--memory", option, missing])
      #expect(second.status != 0 && second.errors.contains(missing), "\(second.errors)")
    }
  }

  @Test func aRulesFileDecidesAboutObjects() async throws {
    let source = """
      rules_version = '2';
      service firebase.storage { match /b/{b}/o { match /open/{name} { allow read; } } }
      """
    try await withTemporaryDirectory { directory in
      let path = try file("storage.rules", source, in: directory)
      try await withServedBackend(arguments: ["--storage-rules", path]) { server in
        let bucket = "/v0/b/\(ServedBackend.project).appspot.com/o"
        let open = try await server.send(.get, "\(bucket)/open%2Fa")
        let closed = try await server.send(.get, "\(bucket)/closed%2Fa")
        #expect(open.status == 404 && closed.status == 403)
      }
    }
  }

  @Test func anotherProjectHasItsOwnRules() async throws {
    try await withTemporaryDirectory { directory in
      let path = try file("firestore.rules", Self.rules("request.auth != null"), in: directory)
      try await withServedBackend(arguments: ["--rules", path, "--any-project"]) {
        (server: ServedBackend) async throws in
        let other = "/v1/projects/demo-other/databases/(default)/documents/rooms/den"
        // A project without rules has those of the server's project.
        #expect(try await server.send(.get, other).status == 403)
        let body: JSON = ["rules": ["files": [["name": "r", "content": .string(Self.rules("true"))]]]]
        let place = "/emulator/v1/projects/demo-other:securityRules"
        #expect(try await server.send(.put, place, body).status == 200)
        #expect(try await server.send(.get, other).status == 404)
        #expect(try await read(server, "rooms/den") == 403)
      }
      try await withServedBackend(arguments: ["--rules", path]) { (server: ServedBackend) async throws in
        let body: JSON = ["rules": ["files": [["content": .string(Self.rules("true"))]]]]
        let place = "/emulator/v1/projects/demo-other:securityRules"
        #expect(try await server.send(.put, place, body).status == 404)
        #expect(try await read(server, "rooms/den") == 403)
      }
    }
  }
}
