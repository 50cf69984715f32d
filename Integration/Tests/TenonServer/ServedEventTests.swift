import Foundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Functions that respond to requests and receive events, over HTTP and across kills.
@Suite(.limited(of: .processes)) struct ServedEventTests {
  private static let root = "/v1/projects/\(ServedBackend.project)/databases/(default)/documents"

  private func set(_ server: ServedBackend, _ path: String, _ fields: JSON) async throws -> Int {
    try await server.send(
      .patch, "\(Self.root)/\(path)", ["fields": fields], headers: ["Authorization": "Bearer owner"]
    ).status
  }

  private func copies(_ server: ServedBackend) async throws -> Set<String> {
    let answer = try await server.send(
      .get, "\(Self.root)/sample-copies?pageSize=1000", headers: ["Authorization": "Bearer owner"])
    let documents = try JSON(parsing: answer.body)["documents"]?.array ?? []
    return Set(documents.compactMap { $0["name"]?.string?.split(separator: "/").last.map(String.init) })
  }

  @Test func aWriteWhoseFunctionHadNotRunIsHandledAfterAKill() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let first = try await ServedBackend(directory: folder)
      #expect(try await set(first, "sample-switches/copy", ["isOff": ["booleanValue": true]]) == 200)
      #expect(try await set(first, "sample-originals/a", ["n": ["integerValue": "1"]]) == 200)
      _ = await first.stop(by: SIGKILL)
      let second = try await ServedBackend(directory: folder)
      #expect(try await copies(second) == [])
      #expect(try await set(second, "sample-switches/copy", ["isOff": ["booleanValue": false]]) == 200)
      try await eventually { try await copies(second) == ["a"] }
      _ = await second.stop()
    }
  }

  @Test func noAcknowledgedWriteLosesItsEventInKills() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      var acknowledged: Set<String> = []
      for round in 0..<DeepTests.count(3, deep: 8) {
        let server = try await ServedBackend(directory: folder)
        // The kill comes while the functions of the last writes are running.
        for number in 0..<10 + round * 7 {
          let id = "r\(round)n\(number)"
          if try await set(server, "sample-originals/\(id)", ["n": ["integerValue": "1"]]) == 200 {
            acknowledged.insert(id)
          }
        }
        _ = await server.stop(by: SIGKILL)
      }
      let last = try await ServedBackend(directory: folder)
      try await eventually { try await copies(last) == acknowledged }
      _ = await last.stop()
    }
  }

  @Test func whatIsWrittenWhileTriggersAreDisabledIsNoEvent() async throws {
    try await withServedBackend { server in
      #expect(try await server.send(.put, "/functions/disableBackgroundTriggers").status == 200)
      #expect(try await set(server, "sample-originals/a", ["n": ["integerValue": "1"]]) == 200)
      #expect(try await server.send(.put, "/functions/enableBackgroundTriggers").status == 200)
      #expect(try await set(server, "sample-originals/b", ["n": ["integerValue": "1"]]) == 200)
      try await eventually { try await copies(server) == ["b"] }
    }
  }

  @Test func aFunctionRespondsToAnyRequestBelowItsURL() async throws {
    try await withServedBackend { server in
      let url = "/\(ServedBackend.project)/us-central1/request"
      let answer = try await server.send(.put, "\(url)/a%2Fb?x=1", ["n": 1])
      #expect(answer.status == 200)
      let json = try JSON(parsing: answer.body)
      #expect(json["method"] == "PUT" && json["path"] == "/a%2Fb" && json["query"] == "x=1")
      #expect(json["body"] == #"{"n":1}"#)
      // The fields for pages of other origins are there once.
      let page = try await server.send(.get, url, headers: ["Origin": "http://localhost:3000"])
      let allowed = page.headers.fields.filter { $0.name.lowercased() == "access-control-allow-origin" }
      #expect(allowed.map(\.value) == ["http://localhost:3000"])
      let options = try await server.send(.options, url, headers: ["Origin": "http://localhost:3000"])
      #expect(options.status == 204)
    }
  }
}
