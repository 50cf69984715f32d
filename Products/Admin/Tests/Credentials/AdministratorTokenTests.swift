import Foundation
import TenonAdminInterop
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

/// The tokens with which other products act as administrators.
@Suite(.limited) struct AdministratorTokenTests {
  /// An identity token that is valid for an hour.
  private static func identity(_ audience: String, _ number: Int) throws -> String {
    let claims: JSON = [
      "aud": .string(audience), "exp": .int(AdminFixture.now + 3_600), "jti": .int(Int64(number)),
    ]
    return try [JSON.object(["alg": "RS256"]), claims].map { Base64URL.encode(try $0.serialized) }
      .joined(separator: ".") + ".c2ln"
  }

  /// A server of tokens whose access tokens and identity tokens are numbered.
  private func fixture(
    isAvailable: @escaping @Sendable () -> Bool = { true }
  ) throws -> CredentialFixture {
    try CredentialFixture { request, number in
      guard isAvailable() else {
        return try CredentialFixture.json(["error": "unauthorized_client"], status: 400)
      }
      guard request.url.host() == "oauth2.googleapis.com", case .data(let body) = request.body else {
        return nil
      }
      let form = URLComponents(string: "?\(String(decoding: body, as: UTF8.self))")?.queryItems
      let assertion = try CompactToken(form?.first { $0.name == "assertion" }?.value ?? "")
      guard let audience = assertion.claims["target_audience"]?.string else { return nil }
      #expect(assertion.claims["scope"] == nil)
      #expect(assertion.claims["sub"]?.string?.hasPrefix("admin@") == true)
      return try CredentialFixture.json(["id_token": .string(try Self.identity(audience, number))])
    }
  }

  private func account() throws -> AdminCredential {
    .serviceAccount(try ServiceAccount(json: AdminFixture.account.serialized))
  }

  @Test func adminKeepsTheContractOfItsInterop() async throws {
    let fixture = try fixture()
    fixture.admin.credential = try account()
    try await AdminInteropContract.check(AdministratorTokens(admin: fixture.admin))
    let isAvailable = Lock(false)
    let failing = try self.fixture { isAvailable.withLock(\.self) }
    failing.admin.credential = try account()
    try await AdminInteropContract.checkFailing(AdministratorTokens(admin: failing.admin)) {
      isAvailable.withLock { $0 = true }
    }
  }

  @Test func aTokenIsValidUntilItIsReplaced() async throws {
    let fixture = try fixture()
    fixture.admin.credential = try account()
    let tokens = AdministratorTokens(admin: fixture.admin)
    let first = try await tokens.accessToken(replacing: nil)
    #expect(first.validity == .seconds(3_300) && first.quotaProject == nil)
    fixture.time.advance(by: 3_299)
    let same = try await tokens.accessToken(replacing: nil)
    #expect(same.value == first.value && same.validity == .seconds(1))
    fixture.time.advance(by: 1)
    #expect(try await tokens.accessToken(replacing: nil).value != first.value)
    let identity = try await tokens.identityToken(for: "https://a.example/x", replacing: nil)
    #expect(identity.validity > .zero && identity.validity < .seconds(3_300))
  }

  @Test func theMetadataServerGivesIdentityTokens() async throws {
    let fixture = try CredentialFixture { request, number in
      guard request.url.lastPathComponent == "identity" else { return nil }
      let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      let audience = query.first { $0.name == "audience" }?.value ?? ""
      return CredentialFixture.metadata(Data(try Self.identity(audience, number).utf8))
    }
    fixture.admin.credential = .metadataServer
    let token = try await AdministratorTokens(admin: fixture.admin).identityToken(
      for: "https://a.example/x?y", replacing: nil)
    #expect(try CompactToken(token.value).claims["aud"] == "https://a.example/x?y")
  }

  @Test func aUserOfGcloudHasNoIdentityToken() async throws {
    let fixture = try fixture()
    let file: JSON = [
      "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
    ]
    fixture.admin.credential = try AdminCredential(json: file.serialized)
    let error = await #expect(throws: AdminError.self) {
      try await AdministratorTokens(admin: fixture.admin).identityToken(
        for: "https://a.example", replacing: nil)
    }
    #expect(error?.code == .invalidCredential && error?.message.contains("Admin.credential") == true)
  }

  @Test func aSignatureIsThatOfTheServiceAccount() async throws {
    let fixture = try fixture()
    fixture.admin.credential = try account()
    let signature = try await AdministratorTokens(admin: fixture.admin).signature {
      Array("text for \($0)".utf8)
    }
    #expect(signature.account == "admin@demo.iam.gserviceaccount.com")
    let modulus = try #require(Base64URL.decode(SampleKeys.modulus))
    let key = try #require(try PublicKey(modulus: Array(modulus), exponent: [1, 0, 1]))
    #expect(key.isValid(signature.bytes, of: Array("text for admin@demo.iam.gserviceaccount.com".utf8)))
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func googleSignsForAMachine() async throws {
    let fixture = try CredentialFixture()
    fixture.admin.credential = .metadataServer
    let signature = try await AdministratorTokens(admin: fixture.admin).signature {
      Array("text for \($0)".utf8)
    }
    let account = "machine@demo.iam.gserviceaccount.com"
    #expect(signature.account == account && signature.bytes == Array("signed".utf8))
    let request = try #require(fixture.requests(to: "iamcredentials.googleapis.com").first)
    guard case .data(let body) = request.body else {
      Issue.record("There is no body.")
      return
    }
    let payload = Data("text for \(account)".utf8).base64EncodedString()
    #expect(try JSON(parsing: body) == ["payload": .string(payload)])
  }

  @Test func aUserOfGcloudCannotSign() async throws {
    let fixture = try fixture()
    let file: JSON = [
      "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
    ]
    fixture.admin.credential = try AdminCredential(json: file.serialized)
    let error = await #expect(throws: AdminError.self) {
      try await AdministratorTokens(admin: fixture.admin).signature { Array($0.utf8) }
    }
    #expect(error?.code == .invalidCredential && error?.message.contains("URLs") == true)
  }

  @Test func withoutACredentialTheErrorSaysWhatToDo() async throws {
    let fixture = try CredentialFixture(environment: ["NO_GCE_CHECK": "true"])
    let error = await #expect(throws: AdminError.self) {
      try await AdministratorTokens(admin: fixture.admin).accessToken(replacing: nil)
    }
    #expect(error?.code == .invalidCredential && error?.message.contains("Set Admin.credential") == true)
  }
}
