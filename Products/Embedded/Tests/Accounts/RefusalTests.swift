import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The errors that several methods share.
@Suite(.limited) struct RefusalTests {
  private let backend = Backend()

  private func disabled() async throws -> JSON {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let session = try await backend.call("accounts:signUp", body).json
    let change: JSON = ["localId": try #require(session["localId"]), "disableUser": true]
    _ = try await backend.administrate("accounts:update", change)
    return session
  }

  @Test(
    arguments: [
      ("lookup", [:]), ("update", ["displayName": "Ada"]), ("delete", [:]),
      ("signUp", ["email": "new@example.com", "password": "analytical"]),
      ("sendOobCode", ["requestType": "VERIFY_EMAIL"]),
      ("sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@example.com"]),
      ("signInWithEmailLink", ["email": "new@example.com", "oobCode": "any"]),
      (
        "signInWithIdp",
        [
          "requestUri": "http://localhost",
          "postBody": "providerId=google.com&id_token=%7B%22sub%22:%22g%22%7D",
        ]
      ),
    ] as [(String, [String: JSON])]
  )
  func aDisabledUserIsRejectedByEveryMethod(method: String, members: [String: JSON]) async throws {
    let body = members.merging(["idToken": try #require(try await disabled()["idToken"])]) { $1 }
    let (status, json) = try await backend.call("accounts:\(method)", .object(body))
    #expect(status == 400 && json.errorMessage == "USER_DISABLED")
  }

  @Test func anAdministratorCanChangeADisabledUser() async throws {
    let id = try #require(try await disabled()["localId"])
    let (status, json) = try await backend.administrate(
      "accounts:update",
      ["localId": id, "displayName": "Ada", "disableUser": false]
    )
    #expect(status == 200 && json["displayName"] == "Ada")
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", body).status == 200)
  }

  @Test func theCodesOfADisabledUserAreRejected() async throws {
    let body: JSON = ["email": "ada@example.com", "password": "lovelace"]
    let session = try await backend.call("accounts:signUp", body).json
    _ = try await backend.call(
      "accounts:sendOobCode",
      ["requestType": "VERIFY_EMAIL", "idToken": try #require(session["idToken"])]
    )
    let code = try #require(await backend.embedded.accountCodes().last).code
    let change: JSON = ["localId": try #require(session["localId"]), "disableUser": true]
    _ = try await backend.administrate("accounts:update", change)
    let (_, json) = try await backend.call("accounts:update", ["oobCode": .string(code)])
    #expect(json.errorMessage == "USER_DISABLED")
  }

  @Test func tokensOfAnotherProjectAreRejected() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let other = Embedded(projectID: "other", directory: directory.path)
    let own = Backend(directory: directory.path)
    let (_, session) = try await own.call("accounts:signUp")
    let refresh: JSON = ["grantType": "refresh_token", "refreshToken": try #require(session["refreshToken"])]
    let lookup: JSON = ["idToken": try #require(session["idToken"])]
    let answers: [(String, JSON, String)] = [
      ("https://securetoken.googleapis.com/v1/token?key=any", refresh, "INVALID_REFRESH_TOKEN"),
      (
        "https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=any", lookup, "INVALID_ID_TOKEN"
      ),
    ]
    for (url, body, message) in answers {
      let request = TransportRequest(.post, try #require(URL(string: url)), body: .data(try body.serialized))
      #expect(try JSON(parsing: await other.send(request).body).errorMessage == message)
    }
    await other.close()
  }

  @Test func theAddressOfAProvidersUserIsNotAvailable() async throws {
    let fields = "providerId=google.com&id_token=%7B%22sub%22:%22g%22,%22email%22:%22ada@example.com%22%7D"
    let body: JSON = ["requestUri": "http://localhost", "postBody": .string(fields)]
    #expect(try await backend.call("accounts:signInWithIdp", body).json["isNewUser"] == true)
    let password: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signUp", password).json.errorMessage == "EMAIL_EXISTS")
  }
}
