import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The hub of `tenon-server`, which test kits ask for the emulators.
@Suite(.limited) struct ServedHubTests {
  @Test func theHubKnowsTheAddressesOfAllEmulators() async throws {
    try await withServedBackend { server in
      let port = JSON.int(try #require(server.address.split(separator: ":").last.flatMap { Int64($0) }))
      let answer = try await server.send(.get, "/emulators")
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"]?.hasPrefix("application/json") == true)
      let emulators = try #require(try JSON(parsing: answer.body).object)
      #expect(Set(emulators.keys) == ["auth", "firestore", "storage", "functions", "hub"])
      for (name, place) in emulators {
        let expected: JSON = [
          "name": .string(name), "host": "127.0.0.1", "port": port,
          "listen": [["address": "127.0.0.1", "family": "IPv4", "port": port]],
        ]
        #expect(place == expected)
      }
    }
  }

  @Test func theRootHasTheHubsOrigin() async throws {
    try await withServedBackend { server in
      let root = try JSON(parsing: try await server.send(.get, "/").body)
      let origins: JSON = [.string("http://\(server.address)")]
      #expect(root["origins"] == origins)
      #expect(root["version"]?.string != nil && root["host"] == "127.0.0.1")
      #expect(root["authEmulator"]?["ready"] == true)
    }
  }

  @Test(arguments: [("disable", false), ("enable", true)])
  func triggersAreDisabledAndEnabledAsKitsExpect(verb: String, isEnabled: Bool) async throws {
    try await withServedBackend { server in
      let answer = try await server.send(.put, "/functions/\(verb)BackgroundTriggers")
      #expect(answer.status == 200)
      #expect(try JSON(parsing: answer.body) == ["enabled": .bool(isEnabled)])
      #expect(try await server.send(.get, "/functions/\(verb)BackgroundTriggers").status == 404)
    }
  }

  @Test func anExportIsRefusedByName() async throws {
    try await withServedBackend { server in
      let answer = try await server.send(.post, "/_admin/export", ["path": "/nowhere"])
      #expect(answer.status == 501)
      #expect(try JSON(parsing: answer.body)["message"]?.string?.contains("doesn't export") == true)
    }
  }

  @Test(arguments: ["/emulators", "/_admin/export"])
  func pagesOfOtherOriginsHaveNoAccess(path: String) async throws {
    try await withServedBackend { server in
      let answer = try await server.send(
        path == "/emulators" ? .get : .post, path, headers: ["Origin": "https://evil.example"])
      #expect(answer.status == 403)
    }
  }
}
