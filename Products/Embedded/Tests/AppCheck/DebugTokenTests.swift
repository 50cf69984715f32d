import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Administrators register the debug tokens of apps (`projects.apps.debugTokens`).
@Suite(.limited) struct DebugTokenTests {
  private let backend: Backend
  private static let secret = "aae6de9c-08a8-4b65-b1ad-e84b51b0a4a0"
  private static let other = "0b0ca1b5-2f4c-4a6e-9d2e-4f6f1c6a7b10"

  init() { backend = Backend() }

  private func call(
    _ method: HTTPMethod = .post, _ path: String = "", _ body: JSON? = nil, app: String = "1:42:web:a1",
    project: String = "demo", authorization: String? = "Bearer owner", in backend: Backend? = nil
  ) async throws -> (status: Int, json: JSON) {
    let answer = try await (backend ?? self.backend).send(
      method,
      "https://firebaseappcheck.googleapis.com/v1/projects/\(project)/apps/\(app)/debugTokens\(path)",
      body: try body?.serialized, headers: authorization.map { ["Authorization": $0] } ?? [:])
    return (answer.status, try JSON(parsing: answer.body))
  }

  private func register(_ token: String = secret, name: String = "Ada's phone", in other: Backend? = nil)
    async throws -> JSON
  {
    let (status, json) = try await call(
      .post, "", ["displayName": .string(name), "token": .string(token)], in: other)
    #expect(status == 200)
    return json
  }

  private func exchange(_ token: String, app: String = "1:42:web:a1", in other: Backend? = nil) async throws
    -> Int
  {
    let body: JSON = ["debug_token": .string(token)]
    return try await (other ?? backend).post(
      "https://firebaseappcheck.googleapis.com/v1/projects/demo/apps/\(app):exchangeDebugToken?key=any",
      body: body.serialized
    ).status
  }

  private func id(_ json: JSON) throws -> String {
    String(try #require(json["name"]?.string?.split(separator: "/").last))
  }

  @Test func onlyRegisteredTokensAreAcceptedOnceThereIsOne() async throws {
    #expect(try await exchange("anything") == 200)
    let record = try await register()
    #expect(try await exchange(Self.secret) == 200)
    #expect(try await exchange(Self.secret.uppercased()) == 200)
    #expect(try await exchange("anything") == 403)
    // It is the token of one app, and the others have none.
    #expect(try await exchange(Self.secret, app: "1:42:web:b2") == 403)
    #expect(try await call(.delete, "/\(try id(record))").json == [:])
    #expect(try await exchange(Self.secret) == 403)
    #expect(try await exchange("anything") == 403)
  }

  @Test func tokensOfTheSettingsAreAcceptedBesidesRegisteredOnes() async throws {
    backend.embedded.settings.appCheckDebugTokens = ["OURS"]
    _ = try await register()
    #expect(try await exchange("ours") == 200)
    #expect(try await exchange(Self.secret) == 200)
    #expect(try await exchange("anything") == 403)
  }

  @Test func registeredTokensSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    _ = try await register(in: first)
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await exchange(Self.secret, in: second) == 200)
    #expect(try await exchange("anything", in: second) == 403)
    await second.embedded.close()
    // The secret itself isn't stored.
    let file = try Data(contentsOf: URL(filePath: "\(directory.path)/backend/backend.sqlite"))
    #expect(file.range(of: Data(Self.secret.utf8)) == nil && file.range(of: Data("Ada's phone".utf8)) != nil)
  }

  @Test func tokensAreReadListedAndRenamed() async throws {
    #expect(try await call(.get).json == [:])
    let record = try await register()
    let id = try id(record)
    #expect(record["name"] == .string("projects/42/apps/1:42:web:a1/debugTokens/\(id)"))
    #expect(record["displayName"] == "Ada's phone" && record["token"] == nil)
    #expect(record["updateTime"] == "2023-11-14T22:13:20.000Z")
    #expect(try await call(.get, "/\(id)").json == record)
    // The name of a response is a path: it has the number of the project.
    #expect(try await call(.get, "/\(id)", project: "42").json == record)
    backend.clock.advance(bySeconds: 1)
    let (status, changed) = try await call(.patch, "/\(id)?updateMask=displayName", ["displayName": "A"])
    #expect(status == 200 && changed["displayName"] == "A" && changed["etag"] != record["etag"])
    #expect(changed["updateTime"] == "2023-11-14T22:13:21.000Z")
    #expect(try await call(.get).json == ["debugTokens": [changed]])
    #expect(try await call(.get, app: "1:42:web:b2").json == [:])
    #expect(try await exchange(Self.secret) == 200)
  }

  @Test func aChangeOfSomeoneElseIsNotOverwritten() async throws {
    let record = try await register()
    let id = try id(record)
    _ = try await call(.patch, "/\(id)?updateMask=displayName", ["displayName": "A"])
    let stale: JSON = ["displayName": "B", "etag": try #require(record["etag"])]
    let (status, json) = try await call(.patch, "/\(id)?updateMask=displayName", stale)
    #expect(status == 409 && json["error"]?["status"] == "ABORTED")
    let etag = try #require(record["etag"]?.string)
    #expect(try await call(.delete, "/\(id)?etag=\(etag)").status == 409)
    #expect(try await call(.get, "/\(id)").json["displayName"] == "A")
  }

  @Test(
    arguments: [
      [:], ["token": .string(secret)], ["displayName": "a"], ["displayName": "", "token": .string(secret)],
      ["displayName": "a", "token": ""], ["displayName": "a", "token": "secret"],
      ["displayName": "a", "token": [:]],
      ["displayName": "a", "token": "aae6de9c-08a8-1b65-b1ad-e84b51b0a4a0"],
      ["displayName": "a", "token": "aae6de9c-08a8-4b65-c1ad-e84b51b0a4a0"],
      ["displayName": "a", "token": "aae6de9c-08a8-4b65-b1ad-e84b51b0a4ag"],
      ["displayName": "a", "token": "{aae6de9c-08a8-4b65-b1ad-e84b51b0a4a0}"],
      ["displayName": .string(String(repeating: "a", count: 257)), "token": .string(secret)],
    ] as [JSON])
  func whatIsNoDebugTokenIsRefused(body: JSON) async throws {
    let (status, json) = try await call(.post, "", body)
    #expect(status == 400 && json["error"]?["status"] == "INVALID_ARGUMENT")
    // Nothing was registered, so any token is accepted still.
    #expect(try await exchange("anything") == 200)
  }

  @Test func wrongRequestsAreRefusedByName() async throws {
    let id = try id(try await register())
    for (method, path, body, expected) in [
      (.post, "", ["displayName": "a", "token": .string(Self.secret.uppercased())], 409),
      (.patch, "/\(id)", ["displayName": "a"], 400),
      (.patch, "/\(id)?updateMask=token", ["token": .string(Self.other)], 400),
      (.patch, "/\(id)?updateMask=displayName", ["displayName": "a", "token": .string(Self.other)], 400),
      (.patch, "/\(id)?updateMask=displayName", [:], 400),
      (.patch, "/none?updateMask=displayName", ["displayName": "a"], 404),
      (.get, "/none", nil, 404), (.delete, "/none", nil, 404), (.delete, "", nil, 404),
      (.post, "/\(id)", [:], 404), (.get, "/\(id)/more", nil, 404),
    ] as [(HTTPMethod, String, JSON?, Int)] {
      #expect(try await call(method, path, body).status == expected, "\(method.rawValue) \(path)")
    }
    #expect(try await call(.get, project: "other").status == 404)
    #expect(try await call(.get, project: "43").status == 404)
    for authorization in [nil, "Basic owner"] {
      #expect(try await call(.get, authorization: authorization).status == 401)
    }
    #expect(try await call(.get).json["debugTokens"]?.array?.count == 1)
  }

  @Test func anAppHasTwentyAtMost() async throws {
    let digits = "0123456789abcdef"
    for digit in digits + digits.prefix(4) {
      let count = try await call(.get).json["debugTokens"]?.array?.count ?? 0
      let token = "aae6de9c-08a8-4b65-b1ad-e84b51b0a4\(count / 16)\(digit)"
      _ = try await register(token)
    }
    let more: JSON = ["displayName": "a", "token": .string(Self.other)]
    let (status, json) = try await call(.post, "", more)
    #expect(status == 429 && json["error"]?["status"] == "RESOURCE_EXHAUSTED")
    #expect(try await call(.post, "", more, app: "1:42:web:b2").status == 200)
  }
}
