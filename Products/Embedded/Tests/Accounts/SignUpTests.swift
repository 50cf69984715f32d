import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct SignUpTests {
  @Test func anEmptyBodyCreatesAnAnonymousUser() async throws {
    let (status, json) = try await Backend().call(
      "accounts:signUp",
      ["displayName": "Ada", "photoUrl": "http://a"]
    )
    #expect(status == 200)
    #expect(json["displayName"] == nil)
    #expect(json["expiresIn"] == "3600")
    #expect(json["localId"]?.string?.count == 28)
    #expect(json["refreshToken"]?.string?.isEmpty == false)
    let token = try json.token("idToken")
    #expect(token.provider == "anonymous")
    #expect(token.claims["provider_id"] == "anonymous")
    #expect(token.userID == json["localId"]?.string)
  }

  @Test func anIDTokenIsAnUnsignedJWTInTheEmulatorsForm() async throws {
    let backend = Backend()
    let (_, json) = try await backend.call(
      "accounts:signUp",
      ["email": "Ada@Example.com", "password": "lovelace"]
    )
    let text = try #require(json["idToken"]?.string)
    #expect(text.hasPrefix("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0."))
    #expect(text.hasSuffix("."))
    let claims = try json.token("idToken").claims
    #expect(claims["iss"] == "https://securetoken.google.com/demo")
    #expect(claims["aud"] == "demo")
    #expect(claims["email"] == "ada@example.com")
    #expect(claims["email_verified"] == false)
    #expect(claims["iat"] == 1_700_000_000)
    #expect(claims["exp"] == 1_700_003_600)
    #expect(claims["auth_time"] == 1_700_000_000)
    #expect(
      claims["firebase"] == [
        "identities": ["email": ["ada@example.com"]], "sign_in_provider": "password",
      ]
    )
  }

  @Test func aPasswordUserIsFoundByTheToken() async throws {
    let backend = Backend()
    let body: JSON = [
      "email": "Ada@Example.com", "password": "lovelace", "displayName": "Ada", "photoUrl": "http://a",
    ]
    let (_, json) = try await backend.call("accounts:signUp", body)
    let (status, answer) = try await backend.call(
      "accounts:lookup",
      ["idToken": try #require(json["idToken"])]
    )
    #expect(status == 200)
    let user = try #require(answer["users"]?.array?.first)
    #expect(user["email"] == "ada@example.com")
    #expect(user["displayName"] == "Ada")
    #expect(user["photoUrl"] == nil)
    #expect(user["emailVerified"] == false)
    #expect(user["createdAt"] == "1700000000000")
    #expect(user["passwordHash"] == "UkVEQUNURUQ=")
    #expect(user["providerUserInfo"]?.array?.first?["providerId"] == "password")
  }

  @Test(
    arguments: [
      (["password": "lovelace"], "MISSING_EMAIL"), (["email": "ada@example.com"], "MISSING_PASSWORD"),
      (["email": "", "password": ""], "INVALID_EMAIL"),
      (["email": "ada@example.com", "password": ""], "MISSING_PASSWORD"),
      (["email": "", "password": "lovelace"], "MISSING_EMAIL"),
      (["email": "ada.example.com", "password": "lovelace"], "INVALID_EMAIL"),
      (["email": "a@b@c", "password": "lovelace"], "INVALID_EMAIL"),
      (["email": "taken@example.com", "password": "short"], "EMAIL_EXISTS"),
      (["email": "TAKEN@example.com", "password": "lovelace"], "EMAIL_EXISTS"),
      (
        ["email": "ada@example.com", "password": "12345"],
        "WEAK_PASSWORD : Password should be at least 6 characters"
      ),
      (
        ["email": "ada@example.com", "password": "lovelace", "localId": "mine"],
        "UNEXPECTED_PARAMETER : User ID"
      ),
      (["idToken": "not a token"], "MISSING_EMAIL"),
      (["email": "ada@example.com", "password": "lovelace", "idToken": "not a token"], "INVALID_ID_TOKEN"),
    ] as [(JSON, String)]
  )
  func checksAreMadeInTheEmulatorsOrder(body: JSON, message: String) async throws {
    let backend = Backend()
    _ = try await backend.call("accounts:signUp", ["email": "taken@example.com", "password": "lovelace"])
    let (status, json) = try await backend.call("accounts:signUp", body)
    #expect(status == 400)
    #expect(json.errorMessage == message)
  }

  @Test func anErrorHasTheFormOfGooglesAPIs() async throws {
    let (_, json) = try await Backend().call("accounts:signUp", ["password": "lovelace"])
    #expect(
      json == [
        "error": [
          "code": 400, "message": "MISSING_EMAIL",
          "errors": [["message": "MISSING_EMAIL", "reason": "invalid", "domain": "global"]],
        ]
      ]
    )
  }

  @Test(arguments: [String(repeating: "x", count: 512), "pass\u{0}word"])
  func aPasswordThatWouldBeTruncatedIsRejected(password: String) async throws {
    let (_, json) = try await Backend().call(
      "accounts:signUp",
      ["email": "a@b", "password": .string(password)]
    )
    #expect(json.errorMessage?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : ") == true)
  }

  @Test func anAnonymousUserIsUpgradedInPlace() async throws {
    let backend = Backend()
    let (_, guest) = try await backend.call("accounts:signUp")
    backend.clock.advance(bySeconds: 1)
    let body: JSON = [
      "email": "ada@example.com", "password": "lovelace", "idToken": try #require(guest["idToken"]),
    ]
    let (status, upgraded) = try await backend.call("accounts:signUp", body)
    #expect(status == 200)
    #expect(upgraded["localId"] == guest["localId"])
    #expect(try upgraded.token("idToken").provider == "password")
    let (_, again) = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    #expect(again["localId"] == guest["localId"])
  }

  @Test func aPasswordUserCanChangeAddressAndPasswordBySigningUp() async throws {
    let backend = Backend()
    let (_, ada) = try await backend.call(
      "accounts:signUp",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    let change: JSON = [
      "email": "b@example.com", "password": "analytical", "idToken": try #require(ada["idToken"]),
    ]
    #expect(try await backend.call("accounts:signUp", change).json["localId"] == ada["localId"])
    let old = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    #expect(old.json.errorMessage == "EMAIL_NOT_FOUND")
  }

  @Test func aDisabledUserCanNotBeUpgradedToAPassword() async throws {
    let backend = Backend()
    let (_, guest) = try await backend.call("accounts:signUp")
    _ = try await backend.administrate(
      "accounts:update",
      ["localId": try #require(guest["localId"]), "disableUser": true]
    )
    let body: JSON = [
      "email": "ada@example.com", "password": "lovelace", "idToken": try #require(guest["idToken"]),
    ]
    #expect(try await backend.call("accounts:signUp", body).json.errorMessage == "USER_DISABLED")
  }

  @Test func concurrentSignUpsWithOneAddressCreateOneUser() async throws {
    let backend = Backend()
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<6 {
        group.addTask {
          try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
            .status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
  }

  @Test func aNumberIsAcceptedAsText() async throws {
    let backend = Backend()
    let (status, json) = try await backend.call("accounts:signUp", ["email": "a@b", "password": 1_234_567])
    #expect(status == 200 && json["email"] == "a@b")
    let signIn: JSON = ["email": "a@b", "password": "1234567"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).status == 200)
  }
}
