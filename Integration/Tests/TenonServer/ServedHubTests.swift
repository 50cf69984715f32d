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
        #expect(place["name"] == .string(name) && place["host"] == "127.0.0.1" && place["port"] == port)
        let first: JSON = ["address": "127.0.0.1", "family": "IPv4", "port": port]
        #expect(place["listen"]?.array?.first == first)
      }
    }
  }

  @Test func theRootHasTheHubsOrigin() async throws {
    try await withServedBackend { server in
      let root = try JSON(parsing: try await server.send(.get, "/").body)
      #expect(root["origins"]?.array?.first == .string("http://\(server.address)"))
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

  @Test func theHubIsFoundByItsFileWhileItRuns() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let file = folder.appending(path: "hub-demo-located.json")
      let server = try await ServedBackend(project: "demo-located", environment: ["TMPDIR": folder.path])
      let locator = try JSON(parsing: Data(contentsOf: file))
      #expect(locator["origins"]?.array?.first == .string("http://\(server.address)"))
      #expect(locator["host"] == "127.0.0.1" && locator["version"]?.string != nil)
      #expect(await server.stop().status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func anotherServersFileRemains() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let file = folder.appending(path: "hub-demo-located.json")
      let first = try await ServedBackend(project: "demo-located", environment: ["TMPDIR": folder.path])
      let second = try await ServedBackend(project: "demo-located", environment: ["TMPDIR": folder.path])
      #expect(await first.stop().status == 0)
      let locator = try JSON(parsing: Data(contentsOf: file))
      #expect(locator["origins"]?.array?.first == .string("http://\(second.address)"))
      #expect(await second.stop().status == 0)
    }
  }

  @Test func theServerAlsoListensOnIPv6() async throws {
    try await withServedBackend { server in
      let places = try JSON(parsing: try await server.send(.get, "/emulators").body)
      guard places["firestore"]?["listen"]?.array?.count == 2 else { return }
      let port = try #require(server.address.split(separator: ":").last)
      let url = try #require(URL(string: "http://[::1]:\(port)/emulators"))
      let answer = try await SystemTransport.shared.send(TransportRequest(.get, url))
      #expect(answer.status == 200)
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
