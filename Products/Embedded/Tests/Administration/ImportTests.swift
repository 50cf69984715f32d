import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ImportTests {
  private let backend = Backend()

  private func load(_ users: [JSON], _ members: [String: JSON] = [:]) async throws -> JSON {
    let body: [String: JSON] = ["users": .array(users)]
    return try await backend.administrate("accounts:batchCreate", .object(body.merging(members) { $1 })).json
  }

  private func user(_ id: JSON) async throws -> JSON? {
    try await backend.administrate("accounts:lookup", ["localId": [id]]).json["users"]?.array?.first
  }

  @Test func usersAreImportedWithAllSupportedMembers() async throws {
    let ada: JSON = [
      "localId": "ada", "email": "ADA@example.com", "emailVerified": true, "displayName": "Ada",
      "passwordHash": "fakeHash:salt=x:password=lovelace", "createdAt": "1600000000000",
      "customAttributes": #"{"role":"editor"}"#, "disabled": false,
      "providerUserInfo": [
        ["providerId": "password", "rawId": "ada@example.com"], ["providerId": "google.com", "rawId": "g1"],
      ],
    ]
    #expect(try await load([ada])["error"] == [])
    let kept = try #require(try await user("ada"))
    #expect(kept["email"] == "ada@example.com" && kept["emailVerified"] == true)
    #expect(kept["createdAt"] == "1600000000000" && kept["customAttributes"] == #"{"role":"editor"}"#)
    #expect(
      kept["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } == ["password", "google.com"])
    let signIn: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).json["localId"] == "ada")
  }

  @Test func usersThatCanNotBeImportedAreListedAndTheOthersImported() async throws {
    _ = try await backend.call("accounts:signUp", ["email": "taken@example.com", "password": "password"])
    _ = try await load([["localId": "present"]])
    let google: JSON = [
      "localId": "google", "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
    ]
    _ = try await load([google])
    let large = #"{"a":"\#(String(repeating: "x", count: 1_000))"}"#
    let entries: KeyValuePairs<JSON, String?> = [
      ["localId": "good"]: nil,
      ["email": "a@example.com"]: "localId is missing",
      ["localId": "bad-email", "email": "ada"]: "email is invalid",
      ["localId": "present"]: "localId belongs to an existing account - can not overwrite.",
      ["localId": "taken", "email": "taken@example.com"]: "email exists in other account in database",
      ["localId": "hash", "email": "h@example.com", "passwordHash": "c2NyeXB0"]:
        "The embedded backend can't verify passwords with this hash.",
      ["localId": "claims-1", "customAttributes": #"{"sub":"x"}"#]:
        "Custom claims provided include a reserved claim.",
      ["localId": "claims-2", "customAttributes": "[]"]: "Invalid custom claims provided.",
      ["localId": "claims-3", "customAttributes": .string(large)]: "Custom claims provided are too large.",
      ["localId": "factor", "mfaInfo": [["phoneInfo": "+15550100"]]]:
        "Second factor account requires email to be presented.",
      ["localId": "phone", "phoneNumber": "5550100"]: "phone number format is invalid",
      ["localId": "raw", "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]]]:
        "raw id exists in other account in database",
      ["localId": "no-raw", "providerUserInfo": [["providerId": "google.com"]]]:
        "federatedId or (providerId & rawId) is required",
      ["localId": "federated", "providerUserInfo": [["providerId": "google.com", "federatedId": "g9"]]]:
        "((Parsing federatedId is not implemented in Auth Emulator; please specify providerId AND rawId as a workaround.))",
      ["localId": "tenant", "tenantId": "t"]:
        "Tenant id in userInfo does not match the tenant id in request.",
    ]
    let json = try await load(entries.map(\.key))
    let expected = entries.enumerated().compactMap { index, entry in
      entry.value.map { JSON.object(["index": .int(Int64(index)), "message": .string($0)]) }
    }
    #expect(json["error"] == .array(expected))
    #expect(try await user("good") != nil)
    for (entry, problem) in entries where problem != nil {
      guard let id = entry["localId"], id != "present" else { continue }
      #expect(try await user(id) == nil)
    }
  }

  @Test func aUserIsOverwrittenOnlyIfAllowed() async throws {
    _ = try await load([["localId": "ada", "displayName": "Ada"]])
    let (_, session) = try await backend.call("accounts:signInWithCustomToken", ["token": #"{"uid":"ada"}"#])
    let json = try await load([["localId": "ada", "displayName": "Countess"]], ["allowOverwrite": true])
    #expect(json["error"] == [])
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
        [["localId": "a", "email": "a@b"], ["localId": "b", "email": "A@b"]], ["sanityCheck": true],
        "DUPLICATE_EMAIL : A@b"
      ),
      (
        [
          ["localId": "a", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]],
          ["localId": "b", "providerUserInfo": [["providerId": "google.com", "rawId": "g"]]],
        ], ["sanityCheck": true], "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(g)"
      ),
    ] as [([JSON], [String: JSON], String)]
  )
  func anImportWithDuplicatesIsRejected(users: [JSON], members: [String: JSON], message: String)
    async throws
  {
    #expect(try await load(users, members).errorMessage == message)
  }

  @Test func theOlderAPIImportsUsers() async throws {
    let url = "https://www.googleapis.com/identitytoolkit/v3/relyingparty/uploadAccount"
    let body: JSON = ["targetProjectId": "demo", "users": [["localId": "ada", "displayName": "Ada"]]]
    let owner = ["Authorization": "Bearer owner"]
    #expect(try await backend.post(url, body: body.serialized, headers: owner).status == 200)
    #expect(try await user("ada")?["displayName"] == "Ada")
    #expect(try await backend.post("\(url)?key=any", body: body.serialized).status == 401)
  }
}
