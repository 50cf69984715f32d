import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// gRPC on `tenon-server`, by the client library of gRPC for Python.
@Suite(.limited(of: .processes), .secondOpinions) struct ServedCallTests {
  private static let documents = "/v1/projects/\(ServedBackend.project)/databases/(default)/documents"

  private func withWire(
    arguments: [String] = [], _ body: (ServedBackend, Peer) async throws -> Void
  ) async throws {
    try await withServedBackend(arguments: arguments) { server in
      try await closing(try await Peer(.wire, of: server)) { peer in try await body(server, peer) }
    }
  }

  @Test func whatCannotBeDoneIsRefusedByName() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("refusals")
      func expect(_ name: String, _ status: String, _ text: String) {
        #expect(found[name]?.array?[0].string == status, "\(name)")
        #expect(found[name]?.array?[1].string?.contains(text) == true, "\(name): \(found[name] ?? .null)")
      }
      expect("method", "UNIMPLEMENTED", "google.firestore.v1.Firestore/Nothing")
      expect("service", "UNIMPLEMENTED", "example.Service/Get")
      expect("pipeline", "UNIMPLEMENTED", "ExecutePipeline")
      expect("damaged", "INVALID_ARGUMENT", "ends within")
      expect("unnamed", "INVALID_ARGUMENT", "projects/PROJECT")
      expect("gzip", "UNIMPLEMENTED", "gzip")
      expect("large", "RESOURCE_EXHAUSTED", "12000000")
      expect("credentials", "UNAUTHENTICATED", "invalid authentication credentials")
      expect("missing", "NOT_FOUND", "/documents/a/é%")
    }
  }

  @Test func errorsHaveTheStatusAndTheDetailsThatGooglesEmulatorSends() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("details")
      #expect(found["missing"] == ["NOT_FOUND", false] && found["unknown"] == ["UNIMPLEMENTED", false])
      try await expectTheSameOfGooglesEmulator("details", found)
    }
  }

  @Test func masksWithoutPathsAndNamesOfOtherResourcesMeanWhatTheyDoOnGooglesEmulator() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("shapes")
      #expect(found["update of nothing"] == ["OK", ["shapes/a": ["x"]]], "nothing is replaced")
      #expect(found["get without fields"] == ["OK", ["shapes/a": []]])
      #expect(found["get of a collection"]?.array?[0] == "INVALID_ARGUMENT")
      #expect(
        found["list of all collections"]
          == ["OK", ["shapes/a/inner/b": ["x"], "shapes/a/other/c": ["x"]]])
      #expect(found["order x DESC"] == "OK" && found["order  x"] == "INVALID_ARGUMENT")
      try await expectTheSameOfGooglesEmulator("shapes", found)
    }
  }

  /// Makes the calls on Google's emulator, if tests use it.
  private func expectTheSameOfGooglesEmulator(_ name: String, _ found: JSON) async throws {
    guard FirestoreEmulator.isWanted else { return }
    let port = try #require(try await FirestoreEmulator.shared().origin.port)
    let environment = [
      "TENON_SERVER": "127.0.0.1:\(port)",
      "GOOGLE_CLOUD_PROJECT": "\(name)-\(UUID().uuidString.lowercased())",
    ]
    try await closing(try await Peer(.wire, environment: environment)) { other in
      let there = try await other.call(name)
      for key in Set(found.object?.keys.map(\.self) ?? []).union(there.object?.keys.map(\.self) ?? []) {
        #expect(found[key] == there[key], "\(key)")
      }
    }
  }

  @Test func largeDocumentsAreWrittenAndRead() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("sizes")
      #expect(found.array?[0].array?[0] == "OK" && found.array?[1] == true)
    }
  }

  @Test func aDeadlineEndsAStream() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("open_deadline")
      #expect(found == "DEADLINE_EXCEEDED")
    }
  }

  @Test func cancelledStreamsEndTheirWork() async throws {
    try await withWire { server, wire in
      #expect(try await wire.call("cancel", ["count": 100]) == "OK")
      let threads = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(server.process.processID)/task")
      #expect(threads.count < 40)
    }
  }

  @Test func aListenerThatDoesNotReadHoldsUpNobody() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("stalled")
      #expect(found.array?[0] == ["OK"] && found.array?[1] == ["d0", "d1", "d2", "d3"])
    }
  }

  @Test func aDamagedMessageEndsAStream() async throws {
    try await withWire { _, wire in
      let found = try await wire.call("damaged_stream")
      #expect(found == "INVALID_ARGUMENT")
    }
  }

  @Test(arguments: [true, false]) func otherProjectsAreServedOnRequest(isRequested: Bool) async throws {
    try await withServedBackend(arguments: isRequested ? ["--any-project"] : []) { server in
      let environment = ["TENON_SERVER": server.address, "GOOGLE_CLOUD_PROJECT": "another"]
      try await closing(try await Peer(.wire, environment: environment)) { wire in
        let found = try await wire.call("commit", ["path": "a/b"])
        #expect(found.array?[0] == (isRequested ? "OK" : "NOT_FOUND"))
        let listened = try await wire.call("open_deadline")
        #expect(listened == (isRequested ? "DEADLINE_EXCEEDED" : "NOT_FOUND"))
      }
    }
  }

  @Test func bothProtocolsSeeTheSameDocumentsAndRules() async throws {
    try await withWire(arguments: ["--protect-documents"]) { server, wire in
      let nobody: JSON = []
      #expect(try await wire.call("commit", ["path": "users/ann"]).array?[0] == "OK")
      let refused = try await wire.call("commit", ["path": "users/ann", "metadata": nobody])
      #expect(refused.array?[0] == "PERMISSION_DENIED")
      #expect(
        try await wire.call("get", ["path": "users/ann", "metadata": nobody]).array?[0] == "PERMISSION_DENIED"
      )
      let owner = ["Authorization": "Bearer owner"]
      #expect(try await server.send(.get, "\(Self.documents)/users/ann", headers: owner).status == 200)
      #expect(try await server.send(.get, "\(Self.documents)/users/ann").status == 403)
      let body: JSON = ["fields": ["x": ["integerValue": "1"]]]
      #expect(
        try await server.send(.patch, "\(Self.documents)/users/joe", body, headers: owner).status == 200)
      #expect(try await wire.call("get", ["path": "users/joe"]).array?[0] == "OK")
    }
  }
}
