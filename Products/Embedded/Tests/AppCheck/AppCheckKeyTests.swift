import Foundation
import TenonFoundation
import TenonSignatures
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// App Check tokens are signed with a key that the backend publishes and keeps.
@Suite(.limited) struct AppCheckKeyTests {
  private static let host = "https://firebaseappcheck.googleapis.com"

  private func exchanged(_ backend: Backend) async throws -> String {
    let (status, json) = try await backend.post(
      "\(Self.host)/v1/projects/demo/apps/1:42:web:a1:exchangeDebugToken?key=any",
      body: Data(#"{"debug_token":"d"}"#.utf8))
    #expect(status == 200)
    return try #require(json["token"]?.string)
  }

  private func keys(_ backend: Backend, path: String = "/v1/jwks") async throws -> [JSON] {
    let answer = try await backend.send(.get, Self.host + path)
    #expect(answer.status == 200 && answer.headers["Cache-Control"] == "public, max-age=300")
    return try #require(try JSON(parsing: answer.body)["keys"]?.array)
  }

  /// Returns whether functions accept a token.
  private func isAccepted(_ token: String, by backend: Backend) async throws -> Bool {
    backend.embedded.settings.appCheckRequired = [.functions]
    backend.embedded.onCall("f") { (_: CallableRequest<Int?>) in 1 }
    let status = try await backend.post(
      "https://us-central1-demo.cloudfunctions.net/f", body: Data(#"{"data":null}"#.utf8),
      headers: ["X-Firebase-AppCheck": token]
    ).status
    #expect(status == 200 || status == 401)
    return status == 200
  }

  /// Returns a token with another part.
  private func replacing(_ index: Int, of token: String, with part: String) -> String {
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    parts[index] = part
    return parts.joined(separator: ".")
  }

  private func encoded(_ json: String) -> String { Base64URL.encode(Data(json.utf8)) }

  @Test func thePublishedKeyVerifiesTheTokens() async throws {
    let backend = Backend()
    // Whoever asks first gets the same key.
    let key = try #require(try await keys(backend).first)
    let token = try await exchanged(backend)
    #expect(try await keys(backend, path: "/v1beta/jwks") == [key])
    #expect(key["kty"] == "RSA" && key["use"] == "sig" && key["alg"] == "RS256" && key["e"] == "AQAB")
    #expect(key["d"] == nil)
    let parts = token.split(separator: ".")
    let header = try JSON(parsing: try #require(Base64URL.decode(parts[0])))
    #expect(header == .members(["alg": "RS256", "typ": "JWT", "kid": key["kid"]]))
    let modulus = try #require(key["n"]?.string.flatMap { Base64URL.decode($0) })
    #expect(modulus.count == 256)
    let verifying = try #require(try PublicKey(modulus: [UInt8](modulus), exponent: [1, 0, 1]))
    let signature = [UInt8](try #require(Base64URL.decode(parts[2])))
    #expect(verifying.isValid(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
  }

  @Test func theKeyAndItsTokensSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let (token, key) = (try await exchanged(first), try await keys(first))
    // Another process with the same directory.
    let other = Backend(directory: directory.path)
    #expect(try await isAccepted(token, by: other))
    #expect(try await isAccepted(try await exchanged(other), by: first))
    await first.embedded.close()
    await other.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await isAccepted(token, by: second))
    #expect(try await keys(second) == key)
    #expect(try await isAccepted(try await exchanged(Backend()), by: second) == false)
  }

  @Test func severalBackendsOfADirectoryGenerateOneKey() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backends = (0..<4).map { _ in Backend(directory: directory.path) }
    let found = try await withThrowingTaskGroup(of: [JSON].self) { group in
      for backend in backends { group.addTask { try await keys(backend) } }
      return try await group.reduce(into: Set<[JSON]>()) { $0.insert($1) }
    }
    #expect(found.count == 1)
  }

  @Test func aTokenThatTheBackendHasNotSignedIsRefused() async throws {
    let backend = Backend()
    let token = try await exchanged(backend)
    #expect(try await isAccepted(token, by: backend))
    let claims = try #require(AttestationToken(token))
    let kid = try #require(try await keys(backend).first?["kid"]?.string)
    var forged = claims.claims
    forged["sub"] = "1:42:web:b2"
    let payload = Base64URL.encode(try JSON.object(forged).serialized)
    let none = encoded(#"{"alg":"none","typ":"JWT"}"#)
    let other = try await exchanged(Backend())
    for (reason, text) in [
      ("unsigned", try claims.unsigned), ("without its signature", replacing(2, of: token, with: "")),
      ("another payload", replacing(1, of: token, with: payload)),
      ("no algorithm", replacing(0, of: token, with: none)),
      ("another algorithm", replacing(0, of: token, with: encoded(#"{"alg":"HS256","kid":"\#(kid)"}"#))),
      ("another key", replacing(0, of: token, with: encoded(#"{"alg":"RS256","kid":"x"}"#))),
      ("signed by another backend", other),
      (
        "a signature of another backend",
        replacing(2, of: token, with: String(other.split(separator: ".")[2]))
      ),
      ("four parts", token + ".x"), ("very long", token + String(repeating: "A", count: 100_000)),
      ("empty", ""),
    ] {
      #expect(try await isAccepted(text, by: backend) == false, "\(reason)")
    }
  }

  @Test func theProjectNumberIsThatOfTheApp() {
    for (app, number) in [
      "1:42:web:a1": "42", "embedded": nil, "1:x:web:a": nil, "1:": nil, "::": nil, "1:4 2:web": nil,
      "1:\(String(repeating: "9", count: 21)):web:a": nil, "1:٤٢:web:a": nil,
    ] {
      #expect(AttestationToken.projectNumber(ofApp: app) == number, "\(app)")
    }
    let claims = AttestationToken(appID: "embedded", projectID: "demo", lifetime: 60, now: .init(seconds: 0))
      .claims
    #expect(claims["iss"] == "https://firebaseappcheck.googleapis.com/0")
    #expect(claims["aud"] == ["projects/0", "projects/demo"])
  }

  @Test func theIDOfAnAppHasALimit() async throws {
    let backend = Backend()
    for (length, expected) in [256: 200, 257: 400] {
      let app = String(repeating: "a", count: length)
      let (status, _) = try await backend.post(
        "\(Self.host)/v1/projects/demo/apps/\(app):exchangeDebugToken?key=any",
        body: Data(#"{"debug_token":"d"}"#.utf8))
      #expect(status == expected)
    }
  }
}
