import Foundation
import TenonTransport
import Testing

@testable import TenonEmbedded

struct ImportTests {
  private let backend = Backend()

  private func load(_ users: [JSON], _ members: [String: JSON] = [:]) async throws -> JSON {
    let body: [String: JSON] = ["users": .array(users)]
    return try await backend.administrate("accounts:batchCreate", .object(body.merging(members) { $1 })).json
  }

  private func user(_ id: JSON) async throws -> JSON? {
    try await backend.administrate("accounts:lookup", ["localId": [id]]).json["users"]?.array?.first
  }

  @Test func usersComeInWithAllThatIsKeptOfThem() async throws {
    let ada: JSON = [
      "localId": "ada", "email": "ADA@example.com", "emailVerified": true, "displayName": "Ada",
      "passwordHash": "fakeHash:salt=x:password=lovelace", "createdAt": "1600000000000",
      "customAttributes": #"{"role":"editor"}"#, "disabled": false,
      "providerUserInfo": [
        ["providerId": "password", "rawId": "ada@example.com"], ["providerId": "google.com", "rawId": "g1"],
      ],
    ]
    #expect(try await load([ada])["error"] == nil)
    let kept = try #require(try await user("ada"))
    #expect(kept["email"] == "ada@example.com" && kept["emailVerified"] == true)
    #expect(kept["createdAt"] == "1600000000000" && kept["customAttributes"] == #"{"role":"editor"}"#)
    #expect(
      kept["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["password", "google.com"])
    let signIn: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).json["localId"] == "ada")
  }

  @Test func whatCanNotBeKeptIsToldAndTheRestIsKept() async throws {
    _ = try await backend.call("accounts:signUp", ["email": "taken@example.com", "password": "password"])
    _ = try await load([["localId": "present"]])
    let json = try await load([
      ["localId": "good"], ["email": "a@example.com"], ["localId": "bad-email", "email": "ada"],
      ["localId": "present"], ["localId": "taken", "email": "taken@example.com"],
      ["localId": "hash", "email": "h@example.com", "passwordHash": "c2NyeXB0"],
      ["localId": "claims", "customAttributes": #"{"sub":"x"}"#],
      ["localId": "phone", "phoneNumber": "+15550100"],
    ])
    #expect(json["error"]?.array?.compactMap { $0["index"] } == [1, 2, 3, 4, 5, 6, 7])
    #expect(try await user("good") != nil)
    for id in ["bad-email", "taken", "hash", "claims", "phone"] as [JSON] {
      #expect(try await user(id) == nil)
    }
  }

  @Test func aUserIsOverwrittenOnlyWhereThatIsAllowed() async throws {
    _ = try await load([["localId": "ada", "displayName": "Ada"]])
    let (_, session) = try await backend.call("accounts:signInWithCustomToken", ["token": #"{"uid":"ada"}"#])
    let json = try await load([["localId": "ada", "displayName": "Countess"]], ["allowOverwrite": true])
    #expect(json["error"] == nil)
    #expect(try await user("ada")?["displayName"] == "Countess")
    #expect(try await backend.refresh(session["refreshToken"]).json.errorMessage == "TOKEN_EXPIRED")
  }

  @Test(
    arguments: [
      ([], [:], "MISSING_USER_ACCOUNT"),
      ([["localId": "a"], ["localId": "a"]], [:], "DUPLICATE_LOCAL_ID : a"),
      (
        [["localId": "a", "email": "A@b"], ["localId": "b", "email": "a@b"]], ["sanityCheck": true],
        "DUPLICATE_EMAIL : a@b"
      ),
      (
        [
          ["localId": "a", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]],
          ["localId": "b", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]],
        ], ["sanityCheck": true], "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(g)"
      ),
    ] as [([JSON], [String: JSON], String)]
  )
  func anImportThatContradictsItselfIsRefused(users: [JSON], members: [String: JSON], message: String)
    async throws
  {
    #expect(try await load(users, members).errorMessage == message)
  }

  @Test func theOlderAPIImportsToo() async throws {
    let url = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount"
    let body: JSON = ["targetProjectId": "demo", "users": [["localId": "ada", "displayName": "Ada"]]]
    let owner = ["Authorization": "Bearer owner"]
    #expect(try await backend.post(url, body: body.serialized, headers: owner).status == 200)
    #expect(try await user("ada")?["displayName"] == "Ada")
    #expect(try await backend.post("\(url)?key=any", body: body.serialized).status == 401)
  }
}
