import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct AccountPersistenceTests {
  private let password: JSON = ["email": "ada@example.com", "password": "lovelace"]

  @Test func accountsAndSessionsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let (_, session) = try await first.call("accounts:signUp", password)
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(
      try await second.call("accounts:signInWithPassword", password).json["localId"] == session["localId"]
    )
    #expect(try await second.refresh(session["refreshToken"]).status == 200)
  }

  @Test func twoBackendsShareADirectory() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backends = [Backend(directory: directory.path), Backend(directory: directory.path)]
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          let email: JSON = .string("user\(number)@example.com")
          let backend = backends[number % 2]
          let (status, _) = try await backend.call(
            "accounts:signUp",
            ["email": email, "password": "password"]
          )
          #expect(status == 200)
        }
      }
      try await group.waitForAll()
    }
    let (_, found) = try await backends[0].administrate(
      "accounts:lookup",
      ["email": .array((0..<20).map { .string("user\($0)@example.com") })]
    )
    #expect(found["users"]?.array?.count == 20)
  }

  @Test func manyBackendsCanCreateADirectoryAtOnce() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<12 {
        group.addTask { try await Backend(directory: directory.path).call("accounts:signUp").status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 12))
  }

  @Test func noFileContainsAPasswordOrIsReadableByOthers() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    let body: JSON = ["email": "ada@example.com", "password": "analytical-engine"]
    _ = try await backend.call("accounts:signUp", body)
    let own = "\(directory.path)/backend"
    let names = try FileManager.default.contentsOfDirectory(atPath: own)
    #expect(!names.isEmpty)
    for name in names {
      let content = try Data(contentsOf: URL(fileURLWithPath: "\(own)/\(name)"))
      #expect(content.range(of: Data("analytical-engine".utf8)) == nil)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: own)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o700)
  }

  @Test func hashesAreSaltedYescrypt() async throws {
    let hasher = PasswordHasher()
    let first = try await hasher.hash("lovelace")
    let second = try await hasher.hash("lovelace")
    #expect(first.hasPrefix("$y$"))
    #expect(first != second)
    #expect(try await hasher.verify("lovelace", against: first))
    #expect(try await !hasher.verify("lovelacE", against: first))
  }

  @Test func aRequestWithoutAnAPIKeyIsForbidden() async throws {
    let (status, json) = try await Backend().post(
      "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
      body: Data("{}".utf8)
    )
    #expect(status == 403)
    #expect(json["error"]?["status"] == "PERMISSION_DENIED")
  }

  @Test(arguments: [
    ("Bearer owner", 200), ("bearer OWNER", 200), ("Bearer ya29.token", 200), ("Bearer other", 401),
    ("Firebase other", 403),
  ])
  func onlyABearerTokenReplacesAnAPIKey(authorization: String, expected: Int) async throws {
    let (status, _) = try await Backend().post(
      "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
      body: Data("{}".utf8),
      headers: ["Authorization": authorization]
    )
    #expect(status == expected)
  }

  @Test func theAPIKeyCanBeInAHeader() async throws {
    let (status, _) = try await Backend().post(
      "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
      body: Data("{}".utf8),
      headers: ["X-Goog-Api-Key": "any"]
    )
    #expect(status == 200)
  }

  @Test func aBodyThatIsNotJSONIsRejected() async throws {
    let (status, json) = try await Backend().post(
      "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=any",
      body: Data("{".utf8)
    )
    #expect(status == 400)
    #expect(json["error"]?["status"] == "INVALID_ARGUMENT")
  }

  @Test(arguments: [
    "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
    "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signUp",
    "https://www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser",
    "http://[::1]:9099/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser",
  ])
  func everyFormOfTheURLIsSupported(url: String) async throws {
    let body = Data(#"{"email":"a@b","password":"lovelace","return_secure_token":true}"#.utf8)
    let (status, json) = try await Backend().post("\(url)?key=any", body: body)
    #expect(status == 200)
    #expect(json["email"] == "a@b")
  }

  @Test(arguments: [
    ("https://identitytoolkit.googleapis.com/v1/accounts:signInWithGameCenter", 501),
    ("https://identitytoolkit.googleapis.com/v1/accounts:makeCoffee", 404),
    ("https://example.com/", 404),
  ])
  func unknownAndUnsupportedURLsHaveTheirStatus(url: String, expected: Int) async throws {
    let (status, json) = try await Backend().post("\(url)?key=any", body: Data("{}".utf8))
    #expect(status == expected)
    #expect(json["error"]?["code"] == .int(Int64(expected)))
  }

  @Test func otherAuthorizationSchemesAreIgnored() async throws {
    for authorization in ["Firebase other", "Basic b3duZXI6"] {
      let (status, json) = try await Backend().call(
        "accounts:signUp", headers: ["Authorization": authorization])
      #expect(status == 200 && json["idToken"] != nil)
    }
  }
}
