import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// What callers learn of the answers of the server for accounts.
@Suite(.limited) struct ServerRefusalTests {
  private static func admin(_ transport: FakeTransport) throws -> Admin {
    let app = AppContext(
      name: "tests",
      options: AppOptions(projectID: "demo", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099"))),
      userAgent: "tenon-tests/1")
    return try Admin(
      app: app, transport: transport, environment: [:], time: TestTime(advancesItself: true).source)
  }

  private static func error(_ status: Int, _ body: String) async throws -> AdminError? {
    let admin = try admin(FakeTransport { _ in TransportResponse(status: status, body: Data(body.utf8)) })
    return await #expect(throws: AdminError.self) { try await admin.getUser(withUID: "ada") }
  }

  @Test(
    arguments: [
      (400, "USER_NOT_FOUND", .userNotFound), (400, "EMAIL_EXISTS", .emailAlreadyExists),
      (400, "DUPLICATE_LOCAL_ID", .uidAlreadyExists), (400, "PHONE_NUMBER_EXISTS", .phoneNumberAlreadyExists),
      (400, "WEAK_PASSWORD : Password should be at least 6 characters", .invalidPassword),
      (400, "FORBIDDEN_CLAIM : sub", .forbiddenClaim), (400, "CLAIMS_TOO_LARGE", .claimsTooLarge),
      (400, "INVALID_PAGE_SELECTION", .invalidPageToken), (400, "TOKEN_EXPIRED", .idTokenExpired),
      (400, "QUOTA_EXCEEDED : Exceeded quota.", .quotaExceeded),
      (404, "CONFIGURATION_NOT_FOUND", .configurationNotFound),
      (400, "FEDERATED_USER_ID_ALREADY_LINKED", .credentialAlreadyInUse),
      (403, "The caller does not have permission", .insufficientPermission),
      (401, "Request had invalid authentication credentials.", .invalidCredential),
      (429, "", .tooManyRequests), (503, "", .networkError), (500, "", .internalError),
      (400, "SOMETHING_NEW : text", .internalError), (302, "EMAIL_EXISTS", .emailAlreadyExists),
    ] as [(Int, String, AdminError.Code)])
  func aRefusalHasACodeAndARemedy(status: Int, message: String, code: AdminError.Code) async throws {
    let body = try JSON.object(["error": ["code": .int(Int64(status)), "message": .string(message)]])
      .serialized
    let error = try #require(try await Self.error(status, String(decoding: body, as: UTF8.self)))
    #expect(error.code == code)
    // Sentences of the server are shown, and codes are translated.
    let sentence = message.contains(":") || message.contains(" ") ? message.split(separator: ":").last : nil
    if let sentence { #expect(error.message.contains(String(sentence).trimmed)) }
  }

  @Test(arguments: [
    "", "<html>Bad gateway</html>", "[]", "{\"error\": 5}", "{\"error\": {\"message\": []}}", "{",
  ])
  func anAnswerOfAnyFormIsAnError(body: String) async throws {
    #expect(try await Self.error(502, body)?.code == .networkError)
    #expect(try await Self.error(400, body)?.code == .internalError)
  }

  @Test(arguments: ["", "<html>Sign in to the network</html>", "[]", "null", "{\"users\": [{}]}"])
  func aSuccessThatIsNotOneIsAnError(body: String) async throws {
    #expect(try await Self.error(200, body)?.code == .internalError)
  }

  @Test func anotherUserIsNotTheOneThatWasAskedFor() async throws {
    #expect(try await Self.error(200, #"{"users": [{"localId": "eve"}]}"#)?.code == .userNotFound)
  }

  @Test(
    arguments: [
      ["localId": ""], ["localId": 5], ["localId": "ada", "customAttributes": "[]"],
      ["localId": "ada", "customAttributes": "{"],
    ] as [JSON])
  private func aDamagedUserIsReported(user: JSON) async throws {
    let body = try JSON.object(["users": [user]]).serialized
    #expect(try await Self.error(200, String(decoding: body, as: UTF8.self))?.code == .internalError)
  }

  @Test func aUserHasWhatTheServerSays() throws {
    let user = try UserRecord([
      "localId": "ada", "email": "ada@example.com", "emailVerified": true, "displayName": "Ada",
      "photoUrl": "https://example.com/ada.png", "phoneNumber": "+15550100", "disabled": true,
      "createdAt": "1600000000500", "lastLoginAt": 1_600_000_001_000,
      "lastRefreshAt": "2026-11-21T08:30:00.000Z",
      "validSince": "1600000000", "tenantId": "tea", "passwordHash": "hash-of-ada", "salt": "salt-of-ada",
      "customAttributes": #"{"role":"editor","level":3}"#,
      "providerUserInfo": [
        ["providerId": "google.com", "rawId": "g1", "email": "ada@gmail.com"], ["rawId": "x"],
        ["providerId": "phone", "rawId": "+15550100", "phoneNumber": "+15550100"],
      ],
    ])
    #expect(user.email == "ada@example.com" && user.isEmailVerified && user.isDisabled)
    #expect(user.displayName == "Ada" && user.phoneNumber == "+15550100" && user.tenantID == "tea")
    #expect(user.photoURL?.absoluteString == "https://example.com/ada.png")
    #expect(user.metadata.creationDate == Date(timeIntervalSince1970: 1_600_000_000.5))
    #expect(user.metadata.lastSignInDate == Date(timeIntervalSince1970: 1_600_000_001))
    #expect(user.metadata.lastRefreshDate == Date(iso8601: "2026-11-21T08:30:00Z"))
    #expect(user.tokensValidAfterDate == Date(timeIntervalSince1970: 1_600_000_000))
    #expect(user.providerData.map(\.providerID) == ["google.com", "phone"])
    #expect(user.providerData.last?.phoneNumber == "+15550100")
    #expect(user.customClaims["role"] as? String == "editor" && user.customClaims["level"] as? Int == 3)
    #expect(user.passwordHash == "hash-of-ada" && user.passwordSalt == "salt-of-ada")
    for text in disclosedTexts(of: user) { #expect(!text.contains("-of-ada")) }
    #expect(try UserRecord(["localId": "a", "passwordHash": "UkVEQUNURUQ="]).passwordHash == nil)
    for time in ["", "soon", "1e999", "nan"] {
      #expect(try UserRecord(["localId": "a", "createdAt": .string(time)]).metadata.creationDate == nil)
    }
  }

  /// P6: passwords, hashes and tokens appear in no text, also if the server quotes them.
  @Test(arguments: FakeTransport.EchoForm.allCases)
  func p6ErrorsQuoteNoSecrets(form: FakeTransport.EchoForm) async throws {
    let admin = try Self.admin(.echo(status: 400, form: form))
    let hash = Data("secret-hash".utf8)
    let encoded = hash.base64EncodedString()
    let calls: [@Sendable () async throws -> Void] = [
      { try await admin.createUser(UserRequest(password: "secret-\"password/\\")) },
      { try await admin.updateUser(withUID: "ada", UserUpdate(password: "secret-password")) },
      { _ = try await admin.createSessionCookie(withIDToken: "secret-token", expiresIn: .seconds(300)) },
      {
        let user = UserImportRecord(uid: "ada", passwordHash: hash)
        try await admin.importUsers([user], hash: .hmacSHA1(key: hash))
      },
    ]
    for call in calls {
      let error = try #require(await #expect(throws: AdminError.self) { try await call() })
      for text in disclosedTexts(of: error) {
        #expect(!text.contains("secret-") && !text.contains(encoded) && !text.contains("owner"))
      }
    }
  }

  @Test func p6RequestsShowNoSecrets() {
    let hash = Data("secret-hash".utf8)
    let values: [Any] = [
      UserRequest(password: "secret-password"), UserUpdate(password: "secret-password"),
      UserImportRecord(uid: "a", passwordHash: hash, passwordSalt: hash), UserImportHash.hmacSHA1(key: hash),
    ]
    for text in values.flatMap(disclosedTexts) {
      #expect(!text.contains("secret-") && !text.contains(hash.base64EncodedString()))
    }
  }

  @Test func aServerThatCanNotBeReachedIsANetworkError() async throws {
    let admin = try Self.admin(
      FakeTransport { _ in throw TransportError(.unreachable, "There is no network.") })
    let error = await #expect(throws: AdminError.self) { try await admin.deleteUser(withUID: "ada") }
    #expect(error?.code == .networkError && error?.message.contains("no network") == true)
  }

  @Test func whatMayNotHappenTwiceIsSentOnce() async throws {
    let transport = FakeTransport { _ in throw TransportError(.connectionLost, "The connection was lost.") }
    let admin = try Self.admin(transport)
    await #expect(throws: AdminError.self) { try await admin.createUser() }
    await #expect(throws: AdminError.self) { try await admin.deleteUser(withUID: "ada") }
    await #expect(throws: AdminError.self) { try await admin.importUsers([UserImportRecord(uid: "ada")]) }
    #expect(transport.requests.count == 3)
    await #expect(throws: AdminError.self) { try await admin.getUser(withUID: "ada") }
    #expect(transport.requests.count > 4)
  }
}
