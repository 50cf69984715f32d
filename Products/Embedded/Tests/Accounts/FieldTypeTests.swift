import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// A member of the wrong JSON type is an error that names the member. It is never treated as absent.
@Suite(.limited) struct FieldTypeTests {
  private let backend = Backend()

  @Test(
    arguments: [
      ("signUp", ["email": ["a@b"], "password": "lovelace"], "/email must be string"),
      ("signUp", ["email": "a@b", "password": true], "/password must be string"),
      ("signUp", ["idToken": ["text": "x"]], "/idToken must be string"),
      ("signInWithPassword", ["email": ["a": 1], "password": "lovelace"], "/email must be string"),
      ("signInWithPassword", ["email": "a@b", "password": ["x"]], "/password must be string"),
      ("signInWithCustomToken", ["token": ["uid": "ada"]], "/token must be string"),
      ("signInWithEmailLink", ["email": "a@b", "oobCode": false], "/oobCode must be string"),
      (
        "signInWithIdp", ["requestUri": "http://localhost", "autoCreate": "no"], "/autoCreate must be boolean"
      ),
      ("signInWithIdp", ["requestUri": "http://localhost", "postBody": [:]], "/postBody must be string"),
      ("lookup", ["idToken": [:]], "/idToken must be string"),
      ("delete", ["idToken": [1]], "/idToken must be string"),
      ("update", ["deleteAttribute": "DISPLAY_NAME"], "/deleteAttribute must be array"),
      ("update", ["deleteProvider": [[:]]], "/deleteProvider/0 must be string"),
      ("update", ["display_name": ["Ada"]], "/displayName must be string"),
      ("sendOobCode", ["requestType": ["EMAIL_SIGNIN"]], "/requestType must be string"),
      ("sendOobCode", ["canHandleCodeInApp": "true"], "/canHandleCodeInApp must be boolean"),
      ("resetPassword", ["oobCode": [:]], "/oobCode must be string"),
      ("createAuthUri", ["identifier": ["a@b"]], "/identifier must be string"),
    ] as [(String, JSON, String)]
  )
  func aMemberOfTheWrongTypeIsNamedInTheError(method: String, body: JSON, problem: String) async throws {
    let (status, json) = try await backend.call("accounts:\(method)", body)
    #expect(status == 400)
    #expect(json["error"]?["status"] == "INVALID_ARGUMENT")
    #expect(json.errorMessage == "Invalid JSON payload received. \(problem)")
  }

  @Test(
    arguments: [
      ("accounts", ["localId": "ada", "disabled": "true"], "/disabled must be boolean"),
      ("accounts:lookup", ["localId": "ada"], "/localId must be array"),
      ("accounts:lookup", ["email": [true]], "/email/0 must be string"),
      ("accounts:lookup", ["federatedUserId": ["google.com"]], "/federatedUserId/0 must be object"),
      ("accounts:update", ["localId": "ada", "emailVerified": 1], "/emailVerified must be boolean"),
      (
        "accounts:update", ["localId": "ada", "validSince": "soon"], #"/validSince must match format "int64""#
      ),
      (
        "accounts:update", ["localId": "ada", "validSince": "9223372036854775808"],
        #"/validSince must match format "int64""#
      ),
      (
        "accounts:update", ["localId": "ada", "createdAt": .double(1.5)],
        #"/createdAt must match format "int64""#
      ),
      ("accounts:update", ["localId": "ada", "customAttributes": [:]], "/customAttributes must be string"),
      (
        "accounts:update", ["localId": "ada", "linkProviderUserInfo": "google.com"],
        "/linkProviderUserInfo must be object"
      ),
      (
        "accounts:update", ["localId": "ada", "linkProviderUserInfo": ["provider_id": ["google.com"]]],
        "/linkProviderUserInfo/providerId must be string"
      ),
      ("accounts:batchCreate", ["users": ["localId": "ada"]], "/users must be array"),
      ("accounts:batchCreate", ["users": [1]], "/users/0 must be object"),
      (
        "accounts:batchCreate", ["users": [["localId": "ada"], ["localId": [:]]]],
        "/users/1/localId must be string"
      ),
      (
        "accounts:batchCreate", ["users": [["localId": "ada", "providerUserInfo": [["rawId": true]]]]],
        "/users/0/providerUserInfo/0/rawId must be string"
      ),
      ("accounts:batchCreate", ["users": [], "allowOverwrite": "yes"], "/allowOverwrite must be boolean"),
      ("accounts:batchDelete", ["localIds": [[:]], "force": true], "/localIds/0 must be string"),
      ("accounts:query", ["returnUserInfo": 0], "/returnUserInfo must be boolean"),
      ("accounts:query", ["offset": "first"], #"/offset must match format "int64""#),
    ] as [(String, JSON, String)]
  )
  func aMemberOfTheWrongTypeInAnAdministratorsRequestIsNamed(method: String, body: JSON, problem: String)
    async throws
  {
    let (status, json) = try await backend.administrate(method, body)
    #expect(status == 400)
    #expect(json.errorMessage == "Invalid JSON payload received. \(problem)")
    let (_, found) = try await backend.administrate("accounts:lookup", ["localId": ["ada"]])
    #expect(found["users"] == nil)
  }

  @Test func theTokenServiceNamesMembersOfTheWrongType() async throws {
    let url = "https://securetoken.googleapis.com/v1/token?key=any"
    let (status, json) = try await backend.post(url, body: Data(#"{"grant_type":["refresh_token"]}"#.utf8))
    #expect(status == 400)
    #expect(json.errorMessage == "Invalid JSON payload received. /grantType must be string")
  }

  @Test func numbersAreAcceptedAsTextAndNullAsAbsent() async throws {
    _ = try await backend.administrate("accounts", ["localId": 42, "displayName": .null])
    let change: JSON = ["localId": "42", "validSince": 1_700_000_060, "createdAt": "1600000000000"]
    #expect(try await backend.administrate("accounts:update", change).status == 200)
    let (_, json) = try await backend.administrate("accounts:lookup", ["localId": [42]])
    let user = try #require(json["users"]?.array?.first)
    #expect(user["validSince"] == "1700000060" && user["createdAt"] == "1600000000000")
  }

  @Test func unknownNamesAreIgnored() async throws {
    let (status, _) = try await backend.call("accounts:signUp", ["fromTheFuture": ["a": [1]]])
    #expect(status == 200)
  }

  /// The claims of an identity provider's token are checked as strictly.
  @Test(arguments: ["email", "name", "picture", "screen_name", "given_name", "family_name"])
  func aClaimOfTheWrongTypeIsNamedInTheError(claim: String) async throws {
    let token = String(decoding: try JSON.object(["sub": "g1", claim: 5]).serialized, as: UTF8.self)
    let text = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let body: JSON = [
      "requestUri": "http://localhost", "postBody": .string("providerId=google.com&id_token=\(text)"),
    ]
    let (status, json) = try await backend.call("accounts:signInWithIdp", body)
    #expect(status == 400)
    #expect(json.errorMessage == "INVALID_IDP_RESPONSE : The ID token's \(claim) is not a string.")
  }
}
