import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct EmulatorPathTests {
  private let backend = Backend()
  private let base = "http://127.0.0.1:9099/emulator/v1/projects"

  private func code(_ body: JSON) async throws -> AccountCode {
    _ = try await backend.call("accounts:sendOobCode", body)
    return try #require(await backend.embedded.accountCodes().last)
  }

  private func ada() async throws -> JSON {
    try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "lovelace"]).json
  }

  @Test func pendingCodesAreListedUntilTheyAreUsed() async throws {
    _ = try await ada()
    let code = try await code(["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
    let listed = try JSON(parsing: await backend.send(.get, "\(base)/demo/oobCodes").body)
    let expected: JSON = [
      "email": "ada@example.com", "requestType": "PASSWORD_RESET", "oobCode": .string(code.code),
      "oobLink": .string(code.link.absoluteString),
    ]
    #expect(listed["oobCodes"] == [expected])
    #expect(try await backend.send(.get, "\(base)/other/oobCodes").status == 404)
    let body: JSON = ["oobCode": .string(code.code), "newPassword": "analytical"]
    _ = try await backend.call("accounts:resetPassword", body)
    let empty = try JSON(parsing: await backend.send(.get, "\(base)/demo/oobCodes").body)
    #expect(empty == ["oobCodes": []])
  }

  @Test func openingTheLinkVerifiesTheAddress() async throws {
    let idToken = try #require(try await ada()["idToken"])
    let code = try await code(["requestType": "VERIFY_EMAIL", "idToken": idToken])
    let opened = try await backend.send(.get, code.link.absoluteString)
    #expect(opened.status == 200)
    #expect(try JSON(parsing: opened.body)["authEmulator"]?["email"] == "ada@example.com")
    let (_, json) = try await backend.call("accounts:lookup", ["idToken": idToken])
    #expect(json["users"]?.array?.first?["emailVerified"] == true)
    let again = try await backend.send(.get, code.link.absoluteString)
    #expect(again.status == 400)
    #expect(try JSON(parsing: again.body)["authEmulator"]?["error"] == "INVALID_OOB_CODE")
  }

  @Test func openingAResetLinkSetsThePasswordInIt() async throws {
    _ = try await ada()
    let code = try await code(["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
    #expect(try await backend.send(.get, code.link.absoluteString).status == 400)
    #expect(try await backend.send(.get, "\(code.link)&newPassword=analytical").status == 200)
    let body: JSON = ["email": "ada@example.com", "password": "analytical"]
    #expect(try await backend.call("accounts:signInWithPassword", body).status == 200)
  }

  @Test func openingASignInLinkRedirectsToTheAppWithTheCode() async throws {
    let code = try await code([
      "requestType": "EMAIL_SIGNIN", "email": "ada@example.com",
      "continueUrl": "https://app.example.com/in?a=b",
    ])
    let opened = try await backend.send(.get, code.link.absoluteString)
    #expect(opened.status == 303)
    let location = try #require(opened.headers["Location"])
    #expect(location.hasPrefix("https://app.example.com/in?a=b&"))
    #expect(location.contains("oobCode=\(code.code)") && location.contains("mode=signIn"))
  }

  @Test func allAccountsAreDeletedAtOnce() async throws {
    let session = try await ada()
    #expect(try await backend.send(.delete, "\(base)/demo/accounts").status == 200)
    #expect(try await backend.refresh(session["refreshToken"]).json.errorMessage == "USER_NOT_FOUND")
    #expect(try await ada()["localId"] != session["localId"])
  }

  @Test func anAdministratorGetsTheLink() async throws {
    let session = try await ada()
    for type in ["VERIFY_EMAIL", "PASSWORD_RESET", "EMAIL_SIGNIN"] as [JSON] {
      let body: JSON = ["requestType": type, "email": "ada@example.com", "returnOobLink": true]
      let (status, json) = try await backend.administrate("accounts:sendOobCode", body)
      #expect(status == 200)
      let code = try #require(json["oobCode"]?.string)
      #expect(json["oobLink"]?.string?.contains(code) == true)
    }
    let byToken: JSON = [
      "requestType": "VERIFY_EMAIL", "idToken": try #require(session["idToken"]), "returnOobLink": true,
    ]
    let (_, own) = try await backend.administrate("accounts:sendOobCode", byToken)
    #expect(own["email"] == "ada@example.com" && own["oobCode"] != nil)
    let nobody: JSON = ["requestType": "VERIFY_EMAIL", "returnOobLink": true]
    let (_, missing) = try await backend.administrate("accounts:sendOobCode", nobody)
    #expect(missing.errorMessage == "MISSING_EMAIL")
    let unknown: JSON = ["requestType": "VERIFY_EMAIL", "email": "bob@example.com", "returnOobLink": true]
    let (_, json) = try await backend.administrate("accounts:sendOobCode", unknown)
    #expect(json.errorMessage == "USER_NOT_FOUND")
  }

  @Test func theRootOnLoopbackReportsThatItIsReady() async throws {
    for host in ["127.0.0.1:9099", "localhost:9099", "[::1]:9099"] {
      let answer = try await backend.send(.get, "http://\(host)/")
      #expect(answer.status == 200)
      #expect(try JSON(parsing: answer.body) == ["authEmulator": ["ready": true]])
    }
    #expect(try await backend.send(.post, "http://127.0.0.1:9099/").status == 404)
  }

  @Test(arguments: [
    ("http://127.0.0.1:4711/identitytoolkit.googleapis.com", "http://127.0.0.1:4711/emulator/action?"),
    ("http://[::1]:4711/identitytoolkit.googleapis.com", "http://[::1]:4711/emulator/action?"),
    ("https://identitytoolkit.googleapis.com", "http://localhost:9099/emulator/action?"),
  ])
  func linksLeadToTheOriginOfTheRequest(base: String, link: String) async throws {
    let session = try await ada()
    let send: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    _ = try await backend.post("\(base)/v1/accounts:sendOobCode?key=any", body: send.serialized)
    let change: JSON = ["idToken": try #require(session["idToken"]), "email": "new@example.com"]
    _ = try await backend.post("\(base)/v1/accounts:update?key=any", body: change.serialized)
    let codes = try await backend.embedded.accountCodes()
    #expect(codes.map(\.kind) == [.passwordReset, .recoverEmail])
    for code in codes { #expect(code.link.absoluteString.hasPrefix(link)) }
  }

  private func configure(_ change: JSON, project: String = "demo") async throws -> (status: Int, json: JSON) {
    let response = try await backend.send(.patch, "\(base)/\(project)/config", body: change.serialized)
    return (response.status, try JSON(parsing: response.body))
  }

  @Test func theConfigurationIsChangedFieldByFieldOrTogether() async throws {
    func expected(duplicates: Bool, privacy: Bool) -> JSON {
      [
        "signIn": ["allowDuplicateEmails": .bool(duplicates)],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(privacy)],
      ]
    }
    let first = try await configure(["signIn": ["allowDuplicateEmails": true]])
    #expect(first.status == 200 && first.json == expected(duplicates: true, privacy: false))
    let second = try await configure(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]])
    #expect(second.json == expected(duplicates: true, privacy: true))
    let read = try await backend.send(.get, "\(base)/demo/config")
    #expect(try JSON(parsing: read.body) == expected(duplicates: true, privacy: true))
    #expect(backend.embedded.settings.emailPrivacy && backend.embedded.settings.duplicateEmails)
    let both = expected(duplicates: false, privacy: false)
    #expect(try await configure(both).json == both)
  }

  @Test func theConfigurationOfAnotherProjectIsNotChanged() async throws {
    let change: JSON = ["signIn": ["allowDuplicateEmails": true]]
    #expect(try await configure(change, project: "other").status == 404)
    #expect(!backend.embedded.settings.duplicateEmails)
  }
}
