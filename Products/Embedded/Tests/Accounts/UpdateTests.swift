import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct UpdateTests {
  private let backend = Backend()

  @Test func aUserAddsAnIdentityThatIsNotProvedByOtherMeans() async throws {
    let token = try #require(try await backend.call("accounts:signUp").json["idToken"])
    func link(_ identity: JSON) async throws -> (status: Int, json: JSON) {
      try await backend.call("accounts:update", ["idToken": token, "linkProviderUserInfo": identity])
    }
    let identity: JSON = ["providerId": "google.com", "rawId": "g1", "email": "ada@example.com"]
    #expect(try await link(identity).json["providerUserInfo"] == [identity])
    #expect(try await link(["providerId": "google.com"]).json.errorMessage == "MISSING_RAW_ID")
    #expect(try await link(["rawId": "g1"]).json.errorMessage == "MISSING_PROVIDER_ID")
    for provider in ["phone", "password"] as [JSON] {
      let refused = try await link(["providerId": provider, "rawId": "+15550100"]).json
      #expect(refused.errorMessage?.hasPrefix("INVALID_PROVIDER_ID") == true)
    }
    let other = try #require(try await backend.call("accounts:signUp").json["idToken"])
    let taken = try await backend.call(
      "accounts:update", ["idToken": other, "linkProviderUserInfo": identity])
    #expect(taken.json.errorMessage == "FEDERATED_USER_ID_ALREADY_LINKED")
  }

  @Test func aUserEndsTheOlderSessions() async throws {
    let old = try await backend.call("accounts:signUp").json
    backend.clock.advance(bySeconds: 2)
    let renewed = try await backend.call(
      "accounts:update", ["idToken": try #require(old["idToken"]), "validSince": "0"]
    ).json
    #expect(
      try await backend.call("accounts:lookup", ["idToken": try #require(old["idToken"])]).json.errorMessage
        == "TOKEN_EXPIRED")
    #expect(try await backend.refresh(old["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
    let found = try await backend.call("accounts:lookup", ["idToken": try #require(renewed["idToken"])])
    #expect(found.status == 200)
  }

  private func ada() async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let json = try await backend.call("accounts:signUp", body).json
    backend.clock.advance(bySeconds: 1)
    return json
  }

  private func update(_ session: JSON, _ members: [String: JSON]) async throws -> (status: Int, json: JSON) {
    let body = members.merging(["idToken": try #require(session["idToken"])]) { own, _ in own }
    return try await backend.call("accounts:update", .object(body))
  }

  @Test func aProfileIsSetAndCleared() async throws {
    let session = try await ada()
    let (_, set) = try await update(session, ["displayName": "Ada", "photoUrl": "http://ada"])
    #expect(set["displayName"] == "Ada" && set["photoUrl"] == "http://ada")
    #expect(set["idToken"] == nil)
    let (_, kept) = try await update(session, ["displayName": .null])
    #expect(kept["displayName"] == "Ada")
    let (_, cleared) = try await update(session, ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]])
    #expect(cleared["displayName"] == nil && cleared["photoUrl"] == nil)
  }

  @Test func aNewPasswordEndsEarlierSessionsOfTheUser() async throws {
    let session = try await ada()
    let (status, json) = try await update(session, ["password": "analytical"])
    #expect(status == 200)
    #expect(try await update(session, [:]).json.errorMessage == "TOKEN_EXPIRED")
    #expect(
      try await backend.refresh(session["refreshToken"]).json.errorMessage
        == "TOKEN_EXPIRED"
    )
    #expect(try await update(json, ["displayName": "Ada"]).status == 200)
    #expect(try await backend.refresh(json["refreshToken"]).status == 200)
    let old = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ada@example.com", "password": "lovelace"]
    )
    #expect(old.json.errorMessage == "INVALID_PASSWORD")
    let new = try await backend.call(
      "accounts:signInWithPassword",
      ["email": "ada@example.com", "password": "analytical"]
    )
    #expect(new.status == 200)
  }

  @Test func aNewAddressIsUnverifiedAndTheFirstOneIsKept() async throws {
    let session = try await ada()
    _ = try await backend.administrate(
      "accounts:update",
      ["localId": try #require(session["localId"]), "emailVerified": true]
    )
    let (_, json) = try await update(session, ["email": "Countess@Example.com"])
    #expect(json["email"] == "countess@example.com")
    #expect(json["emailVerified"] == false)
    let (_, answer) = try await backend.call("accounts:lookup", ["idToken": try #require(json["idToken"])])
    #expect(answer["users"]?.array?.first?["initialEmail"] == "ada@example.com")
  }

  @Test(
    arguments: [
      (["email": "bob@example.com"], "EMAIL_EXISTS"), (["email": "bob"], "INVALID_EMAIL"),
      (["password": ""], "MISSING_PASSWORD"),
      (["password": "12345"], "WEAK_PASSWORD : Password should be at least 6 characters"),
      (["customAttributes": "{}"], "INSUFFICIENT_PERMISSION"),
      (["disableUser": true], "OPERATION_NOT_ALLOWED"),
      (["oobCode": "made up"], "INVALID_OOB_CODE"),
    ] as [([String: JSON], String)]
  )
  func anInvalidUpdateIsRejectedWithItsCode(members: [String: JSON], message: String) async throws {
    let session = try await ada()
    _ = try await backend.call("accounts:signUp", ["email": "bob@example.com", "password": "password"])
    let (status, json) = try await update(session, members)
    #expect(status == 400)
    #expect(json.errorMessage == message)
  }

  @Test func anAnonymousUserBecomesAPasswordUser() async throws {
    let (_, guest) = try await backend.call("accounts:signUp")
    backend.clock.advance(bySeconds: 1)
    let (_, json) = try await update(guest, ["email": "ada@example.com", "password": "lovelace"])
    #expect(json["localId"] == guest["localId"])
    #expect(try json.token("idToken").provider == "password")
  }

  @Test func unlinkingThePasswordRemovesAddressAndPassword() async throws {
    let session = try await ada()
    let (_, json) = try await update(session, ["deleteProvider": ["password"]])
    #expect(json["email"] == nil && json["passwordHash"] == nil)
    #expect(json["providerUserInfo"] == [])
  }

  @Test func anAdministratorRevokesTokensAndSetsClaims() async throws {
    let session = try await ada()
    let id = try #require(session["localId"])
    let claims = try await backend.administrate(
      "accounts:update",
      ["localId": id, "customAttributes": #"{"role":"editor"}"#]
    )
    #expect(claims.status == 200)
    let (_, refreshed) = try await backend.refresh(session["refreshToken"])
    #expect(try refreshed.token("id_token").claims["role"] == "editor")
    _ = try await backend.administrate("accounts:update", ["localId": id, "validSince": "1700000060"])
    #expect(try await update(session, [:]).json.errorMessage == "TOKEN_EXPIRED")
    #expect(
      try await backend.refresh(session["refreshToken"]).json.errorMessage
        == "TOKEN_EXPIRED"
    )
  }

  @Test(arguments: [
    ("not json", "INVALID_CLAIMS"), (#"{"sub":"x"}"#, "FORBIDDEN_CLAIM : sub"),
    (#"{"a":"\#(String(repeating: "x", count: 1_000))"}"#, "CLAIMS_TOO_LARGE"),
  ])
  func invalidClaimsAreRejected(claims: String, message: String) async throws {
    let session = try await ada()
    let (_, json) = try await backend.administrate(
      "accounts:update",
      ["localId": try #require(session["localId"]), "customAttributes": .string(claims)]
    )
    #expect(json.errorMessage == message)
  }

  @Test func anAdministratorFindsAndDeletesUsers() async throws {
    let session = try await ada()
    let id = try #require(session["localId"])
    let (_, found) = try await backend.administrate(
      "accounts:lookup",
      ["localId": [id], "email": ["ADA@example.com"]]
    )
    #expect(found["users"]?.array?.count == 1)
    let (_, none) = try await backend.administrate("accounts:lookup", ["localId": ["made up"]])
    #expect(none["users"] == nil)
    for body in [[:], ["localId": ""], ["idToken": try #require(session["idToken"])]] as [JSON] {
      let (_, unnamed) = try await backend.administrate("accounts:delete", body)
      #expect(unnamed.errorMessage == "MISSING_LOCAL_ID")
    }
    #expect(try await backend.administrate("accounts:delete", ["localId": id]).status == 200)
    #expect(
      try await backend.administrate("accounts:delete", ["localId": id]).json.errorMessage == "USER_NOT_FOUND"
    )
  }

  @Test func anAdministratorCreatesUsersWhoAreNotSignedIn() async throws {
    let body: JSON = [
      "localId": "chosen", "email": "Ada@example.com", "password": "lovelace", "emailVerified": true,
      "displayName": "Ada", "photoUrl": "http://ada",
    ]
    let (status, json) = try await backend.administrate("accounts", body)
    #expect(status == 200)
    #expect(json["localId"] == "chosen" && json["email"] == "ada@example.com")
    #expect(json["idToken"] == nil && json["refreshToken"] == nil)
    let (_, found) = try await backend.administrate("accounts:lookup", ["localId": ["chosen"]])
    let user = try #require(found["users"]?.array?.first)
    #expect(user["emailVerified"] == true && user["photoUrl"] == "http://ada" && user["lastLoginAt"] == nil)
    let signIn: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).json["localId"] == "chosen")
    let again = try await backend.administrate("accounts", ["localId": "chosen"])
    #expect(again.json.errorMessage == "DUPLICATE_LOCAL_ID")
    let taken = try await backend.administrate("accounts", ["email": "ADA@example.com"])
    #expect(taken.json.errorMessage == "EMAIL_EXISTS")
  }

  @Test func anAdministratorCreatesAUserWithAPasswordAndNoAddress() async throws {
    let (status, json) = try await backend.administrate(
      "accounts", ["localId": "ada", "password": "lovelace"])
    #expect(status == 200 && json["localId"] == "ada")
    let (_, found) = try await backend.administrate("accounts:lookup", ["localId": ["ada"]])
    let user = found["users"]?.array?.first
    #expect(user?["passwordHash"] != nil && user?["email"] == nil && user?["providerUserInfo"] == nil)
    _ = try await backend.administrate("accounts:update", ["localId": "ada", "email": "ada@example.com"])
    let signIn: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).json["localId"] == "ada")
  }

  @Test func anAdministratorSetsTheTimesOfAUser() async throws {
    let id = try #require(try await ada()["localId"])
    let change: JSON = ["localId": id, "createdAt": "1600000000000", "lastLoginAt": 1_600_000_000_001]
    #expect(try await backend.administrate("accounts:update", change).status == 200)
    let (_, found) = try await backend.administrate("accounts:lookup", ["localId": [id]])
    let user = found["users"]?.array?.first
    #expect(user?["createdAt"] == "1600000000000" && user?["lastLoginAt"] == "1600000000001")
  }

  @Test(
    arguments: [
      (["rawId": "g1"], "MISSING_PROVIDER_ID"), (["providerId": "google.com"], "MISSING_RAW_ID"),
      (["providerId": "google.com", "federatedId": "g1"], "MISSING_RAW_ID"),
    ] as [(JSON, String)]
  )
  func aLinkedProviderRequiresBothIDs(info: JSON, message: String) async throws {
    let id = try #require(try await ada()["localId"])
    let (_, json) = try await backend.administrate(
      "accounts:update", ["localId": id, "linkProviderUserInfo": info])
    #expect(json.errorMessage == message)
  }

  @Test func onlyAdministratorsCanNameTheProjectInThePath() async throws {
    let (status, json) = try await backend.call("projects/demo/accounts", ["email": "ada@example.com"])
    #expect(status == 401)
    #expect(json["error"]?["status"] == "UNAUTHENTICATED")
  }

  @Test func onlyAdministratorsCanDeleteAUserByID() async throws {
    let session = try await ada()
    let (status, json) = try await backend.call(
      "accounts:delete", ["localId": try #require(session["localId"])])
    #expect(status == 400 && json.errorMessage == "MISSING_ID_TOKEN")
    #expect(try await update(session, ["displayName": "Ada"]).status == 200)
  }

  @Test func anAdministratorMustNameTheUserToChange() async throws {
    let session = try await ada()
    let change: JSON = ["localId": try #require(session["localId"]), "displayName": "Ada"]
    #expect(try await backend.administrate("accounts:update", change).json["displayName"] == "Ada")
    let (_, missing) = try await backend.administrate("accounts:update", ["displayName": "Ada"])
    #expect(missing.errorMessage == "MISSING_LOCAL_ID")
    let byToken: JSON = ["idToken": try #require(session["idToken"]), "displayName": "Countess"]
    let (_, unnamed) = try await backend.administrate("accounts:update", byToken)
    #expect(unnamed.errorMessage == "MISSING_LOCAL_ID")
    let (_, unknown) = try await backend.administrate("accounts:update", ["localId": "nobody"])
    #expect(unknown.errorMessage == "USER_NOT_FOUND")
    let (_, nobody) = try await backend.call("accounts:update", ["displayName": "Ada"])
    #expect(nobody.errorMessage == "INVALID_REQ_TYPE : Unsupported request parameters.")
  }
}
