import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonSignatures
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

@Suite(.limited) struct CredentialTests {
  @Test func aCustomTokenIsSignedByTheServiceAccount() async throws {
    let fixture = try AdminFixture()
    fixture.admin.credential = .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized))
    let text = try await fixture.admin.createCustomToken(withUID: "ada", claims: ["role": "editor"])
    let token = try CompactToken(text)
    #expect(token.algorithm == "RS256" && token.keyID == "a")
    #expect(token.claims["uid"] == "ada" && token.claims["claims"] == ["role": "editor"])
    for name in ["iss", "sub"] { #expect(token.claims[name] == "admin@demo.iam.gserviceaccount.com") }
    #expect(
      token.claims["exp"] == .int(AdminFixture.now + 3_600) && token.claims["iat"] == .int(AdminFixture.now))
    let modulus = try #require(Base64URLBytes.decode(SampleKeys.modulus.utf8))
    let key = try #require(try PublicKey(modulus: modulus, exponent: [1, 0, 1]))
    #expect(key.isValid(token.signature, of: Array(token.signed)))
    #expect(!key.isValid(token.signature, of: Array("another".utf8)))
    #expect(fixture.requests.isEmpty)
  }

  @Test func anEmulatorNeedsNoServiceAccount() async throws {
    let fixture = try AdminFixture(backend: .embedded(directory: nil))
    let token = try CompactToken(try await fixture.admin.createCustomToken(withUID: "ada"))
    #expect(token.algorithm == "none" && token.claims["uid"] == "ada" && token.claims["claims"] == nil)
  }

  @Test(arguments: ["", String(repeating: "u", count: 129)])
  func anIDThatIsNotAllowedIsRefused(uid: String) async throws {
    let fixture = try AdminFixture(backend: .embedded(directory: nil))
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.createCustomToken(withUID: uid)
    }
    #expect(error?.code == .argumentError)
  }

  @Test(arguments: ["aud", "firebase", "sub", "exp", "nonce"])
  func aReservedClaimIsRefused(name: String) async throws {
    let fixture = try AdminFixture(backend: .embedded(directory: nil))
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.createCustomToken(withUID: "ada", claims: [name: "x"])
    }
    #expect(error?.code == .argumentError && error?.claim == name)
  }

  @Test func theFileOfAServiceAccountIsReadFromTheEnvironment() async throws {
    let path = NSTemporaryDirectory() + "account-\(UUID()).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try AdminFixture.account.serialized.write(to: URL(fileURLWithPath: path))
    let fixture = try AdminFixture(environment: ["GOOGLE_APPLICATION_CREDENTIALS": path])
    #expect(try await !fixture.admin.createCustomToken(withUID: "ada").isEmpty)
    let without = try AdminFixture()
    let error = await #expect(throws: AdminError.self) {
      try await without.admin.createCustomToken(withUID: "ada")
    }
    #expect(error?.code == .invalidCredential)
    #expect(error?.message.contains("GOOGLE_APPLICATION_CREDENTIALS") == true)
  }

  private static let damaged: [JSON] = [
    [:], [], "text", ["client_email": "a@b"],
    ["client_email": "a@b", "private_key": "secret-key"],
    ["client_email": "a@b", "private_key": .string(SampleKeys.pem("AAAA"))],
    ["client_email": "a@b", "private_key": .string(SampleKeys.pem(SampleKeys.ellipticKey))],
    [
      "client_email": "a@b", "private_key": .string(SampleKeys.pem(SampleKeys.privateKey)),
      "token_uri": "http://example.com/token",
    ],
  ]

  @Test(arguments: damaged)
  private func aDamagedServiceAccountIsRefused(json: JSON) throws {
    let error = #expect(throws: AdminError.self) { try ServiceAccount(json: json.serialized) }
    #expect(error?.code == .invalidCredential && error?.description.contains("secret-key") == false)
  }

  /// P6: keys and tokens appear in no text.
  @Test func p6AServiceAccountShowsNoKey() throws {
    let account = try ServiceAccount(json: AdminFixture.account.serialized)
    #expect("\(account)" == "admin@demo.iam.gserviceaccount.com")
    for text in disclosedTexts(of: account) { #expect(!text.contains(SampleKeys.privateKey.prefix(20))) }
  }

  private func revocation(_ user: JSON?, status: Int = 200) async throws -> (AdminFixture, AdminError?) {
    let fixture = try AdminFixture()
    fixture.admin.credential = .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized))
    fixture.server.withLock { $0.users = .array(user.map { [$0] } ?? []) }
    let token = try AdminFixture.token()
    do { _ = try await fixture.admin.verifyIDToken(token, checkRevoked: true) } catch let error as AdminError
    {
      return (fixture, error)
    }
    return (fixture, nil)
  }

  @Test func aRevokedTokenIsRefusedOnRequest() async throws {
    let signIn = AdminFixture.now - 600
    #expect(try await revocation(["localId": "ada"]).1 == nil)
    #expect(try await revocation(["localId": "ada", "validSince": .string("\(signIn)")]).1 == nil)
    let revoked = try await revocation(["localId": "ada", "validSince": .string("\(signIn + 1)")]).1
    #expect(revoked?.code == .idTokenRevoked)
    #expect(try await revocation(["localId": "ada", "disabled": true]).1?.code == .userDisabled)
    #expect(try await revocation(nil).1?.code == .userNotFound)
    #expect(try await revocation(["localId": "eve"]).1?.code == .userNotFound)
    #expect(try await revocation(["localId": "ada", "validSince": "soon"]).1?.code == .internalError)
  }

  @Test func anAccessTokenIsRequestedOnce() async throws {
    let (fixture, error) = try await revocation(["localId": "ada"])
    #expect(error == nil)
    _ = try await fixture.admin.verifyIDToken(try AdminFixture.token(), checkRevoked: true)
    #expect(fixture.requests.filter { $0 == "https://oauth2.googleapis.com/token" }.count == 1)
    let lookups = fixture.transport.requests.filter { $0.url.lastPathComponent == "accounts:lookup" }
    #expect(lookups.count == 2)
    #expect(lookups.allSatisfy { $0.headers["Authorization"] == "Bearer secret-access" })
  }

  @Test func aRefusedAccessTokenIsAnErrorOfTheCredential() async throws {
    let fixture = try AdminFixture()
    fixture.admin.credential = .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized))
    let token = try AdminFixture.token()
    _ = try await fixture.admin.verifyIDToken(token)
    fixture.server.withLock { $0.status = 401 }
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.verifyIDToken(token, checkRevoked: true)
    }
    #expect(error?.code == .invalidCredential)
  }
}
