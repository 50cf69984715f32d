import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct AppCheckTests {
  private let backend = Backend()
  private static let appID = "1:42:web:a1"

  private func exchange(
    _ method: String = "exchangeDebugToken",
    _ body: JSON = ["debug_token": "debug", "limited_use": false],
    project: String = "demo",
    headers: [String: String] = ["X-Goog-Api-Key": "any"]
  ) async throws -> (status: Int, json: JSON) {
    try await backend.post(
      "https://firebaseappcheck.googleapis.com/v1/projects/\(project)/apps/\(Self.appID):\(method)",
      body: body.serialized,
      headers: headers
    )
  }

  private func token() async throws -> String { try #require(try await exchange().json["token"]?.string) }

  private func custom(app: String, exp: Int64) -> String {
    let claims = #"{"app_id":"\#(app)","exp":\#(exp)}"#
    return "e30.\(Base64URL.encode(Data(claims.utf8))).c2ln"
  }

  @Test(arguments: [(false, Int64(3_600)), (true, 300)])
  func aDebugTokenIsExchangedForATokenInFirebasesForm(isLimited: Bool, lifetime: Int64) async throws {
    let (status, json) = try await exchange(
      "exchangeDebugToken", ["debug_token": "debug", "limited_use": .bool(isLimited)])
    #expect(status == 200)
    #expect(json["ttl"] == .string("\(lifetime)s"))
    let text = try #require(json["token"]?.string)
    let token = try #require(AttestationToken(text))
    #expect(token.claims["iss"] == "https://firebaseappcheck.googleapis.com/42")
    #expect(token.claims["aud"] == ["projects/42", "projects/demo"])
    #expect(token.claims["sub"] == .string(Self.appID))
    #expect(token.claims["exp"] == .int(backend.clock.now.seconds + lifetime))
    #expect(try await self.token() != self.token())
  }

  @Test func onlyTheDebugTokensOfTheSettingsAreAccepted() async throws {
    backend.embedded.settings.appCheckDebugTokens = ["OTHER"]
    let refusal = try await exchange()
    #expect(refusal.status == 403 && refusal.json.errorMessage == "App attestation failed.")
    #expect(try await exchange("exchangeDebugToken", ["debugToken": "other"]).status == 200)
  }

  @Test func aCustomTokenIsValidForOneApp() async throws {
    let later = backend.clock.now.seconds + 60
    func exchanged(_ token: String) async throws -> Int {
      try await exchange("exchangeCustomToken", ["custom_token": .string(token)]).status
    }
    #expect(try await exchanged(custom(app: Self.appID, exp: later)) == 200)
    #expect(try await exchanged(custom(app: "1:42:web:b2", exp: later)) == 403)
    #expect(try await exchanged(custom(app: Self.appID, exp: later - 60)) == 403)
    #expect(try await exchanged("no JWT") == 400)
  }

  @Test func unsupportedExchangesAreRejected() async throws {
    #expect(try await exchange("exchangeDebugToken", [:]).status == 400)
    #expect(try await exchange("exchangeDebugToken", "text").status == 400)
    #expect(try await exchange("exchangePlayIntegrityToken").status == 501)
    #expect(try await exchange(project: "other").status == 404)
    #expect(try await exchange(headers: [:]).status == 403)
  }

  @Test func aFunctionReceivesTheCallingApp() async throws {
    backend.embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
    let url = "https://us-central1-demo.cloudfunctions.net/app"
    func call(_ headers: [String: String]) async throws -> (status: Int, json: JSON) {
      try await backend.post(url, body: Data(#"{"data":1}"#.utf8), headers: headers)
    }
    let header = ["X-Firebase-AppCheck": try await token()]
    #expect(try await call(header).json["result"] == .string(Self.appID))
    let placeholder = ["X-Firebase-AppCheck": "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="]
    #expect(try await call(placeholder).json["result"] == .null)
    backend.embedded.settings.appCheckRequired = [.functions]
    #expect(try await call(header).status == 200)
    for headers in [[:], placeholder] {
      let (status, json) = try await call(headers)
      #expect(status == 401)
      #expect(json["error"] == ["status": "UNAUTHENTICATED", "message": "Unauthenticated"])
    }
    backend.clock.advance(bySeconds: 3_600)
    #expect(try await call(header).status == 401)
  }

  @Test func accountRequestsRequireATokenExceptFromAdministrators() async throws {
    backend.embedded.settings.appCheckRequired = [.auth]
    let (status, json) = try await backend.call("accounts:signUp")
    #expect(status == 401 && json.errorMessage == "Firebase App Check token is invalid.")
    #expect(json["error"]?["status"] == "UNAUTHENTICATED")
    let header = ["X-Firebase-AppCheck": try await token()]
    let (_, session) = try await backend.call("accounts:signUp", headers: header)
    #expect(session["idToken"] != nil)
    #expect(try await backend.refresh(session["refreshToken"]).status == 401)
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.administrate("accounts", body).status == 200)
  }

  @Test(arguments: ["Basic owner", "Firebase owner", "owner", "Bearer other owner", "Basic ya29.token"])
  func onlyABearerTokenIdentifiesAnAdministrator(authorization: String) async throws {
    backend.embedded.settings.appCheckRequired = [.auth, .storage]
    let headers = ["Authorization": authorization]
    let (status, json) = try await backend.call("accounts:signUp", headers: headers)
    #expect(status == 401 && json.errorMessage == "Firebase App Check token is invalid.")
    guard authorization != "Firebase owner" else { return }
    let url = "https://firebasestorage.googleapis.com/v0/b/bucket/o/a?alt=media"
    #expect(try await backend.send(.get, url, headers: headers).status == 401)
  }

  @Test(
    arguments: [
      ("exchangeDebugToken", ["debug_token": ["x"]], "/debugToken must be string"),
      ("exchangeDebugToken", ["debugToken": "x", "limited_use": "true"], "/limitedUse must be boolean"),
      ("exchangeCustomToken", ["customToken": [:]], "/customToken must be string"),
    ] as [(String, JSON, String)]
  )
  func aMemberOfTheWrongTypeIsNamedInTheError(method: String, body: JSON, problem: String) async throws {
    let (status, json) = try await exchange(method, body)
    #expect(status == 400 && json.errorMessage == "Invalid JSON payload received. \(problem)")
  }

  /// Firebase's tokens are valid for a week at most. The backend would have to remember a consumed token with
  /// a longer lifetime for as long.
  @Test(arguments: [604_800: true, 604_801: false, Int64.max - 1_800_000_000: false] as [Int64: Bool])
  func aTokenIsValidForAWeekAtMost(lifetime: Int64, holds: Bool) async throws {
    let token = try await backend.appCheckToken(lifetime: lifetime)
    backend.embedded.settings.appCheckRequired = [.auth]
    let header = ["X-Firebase-AppCheck": token]
    #expect(try await backend.call("accounts:signUp", headers: header).status == (holds ? 200 : 401))
  }

  @Test func aFunctionCanConsumeTokens() async throws {
    for consumes in [true, false] {
      backend.embedded.onCall("f", consumesAppCheckToken: consumes) { (request: CallableRequest<Int?>) in
        request.app?.alreadyConsumed
      }
      let header = ["X-Firebase-AppCheck": try await token()]
      for isRepeated in [false, true] {
        let url = "https://us-central1-demo.cloudfunctions.net/f"
        let (_, json) = try await backend.post(url, body: Data(#"{"data":null}"#.utf8), headers: header)
        #expect(json["result"] == .bool(consumes && isRepeated))
      }
    }
  }

  @Test func objectRequestsRequireATokenExceptWithDownloadTokens() async throws {
    let url = "https://firebasestorage.googleapis.com/v0/b/bucket/o/a"
    let (_, object) = try await backend.post("\(url)?name=a", body: Data("x".utf8))
    let download = try #require(object["downloadTokens"]?.string)
    backend.embedded.settings.appCheckRequired = [.storage]
    let (status, json) = try await backend.post("\(url)?name=a", body: Data("y".utf8))
    #expect(status == 401 && json.errorMessage == "Firebase App Check token is invalid.")
    #expect(try await backend.send(.get, "\(url)?alt=media").status == 401)
    #expect(try await backend.send(.get, "\(url)?alt=media&token=\(download)").body == Data("x".utf8))
    let headers = ["X-Firebase-AppCheck": try await token()]
    #expect(try await backend.send(.get, "\(url)?alt=media", headers: headers).body == Data("x".utf8))
    #expect(try await backend.send(.delete, url, headers: ["Authorization": "Bearer owner"]).status == 204)
  }
}
