import Foundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// `lastRefreshAt` is the time at which tokens were last issued, by whichever method.
@Suite(.limited) struct RefreshTimeTests {
  private let backend = Backend()

  enum SignIn: CaseIterable, Sendable {
    case anonymous, signUp, password, customToken, link, provider, newPassword
  }

  private func tokens(by way: SignIn) async throws -> JSON {
    let password: JSON = ["email": "ada@example.com", "password": "lovelace"]
    switch way {
    case .anonymous:
      return try await backend.call("accounts:signUp").json
    case .signUp:
      return try await backend.call("accounts:signUp", password).json
    case .password:
      _ = try await backend.call("accounts:signUp", password)
      backend.clock.advance(bySeconds: 10)
      return try await backend.call("accounts:signInWithPassword", password).json
    case .customToken:
      return try await backend.call("accounts:signInWithCustomToken", ["token": #"{"uid":"ada"}"#]).json
    case .link:
      let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
      _ = try await backend.call("accounts:sendOobCode", send)
      let code = try #require(await backend.embedded.accountCodes().last).code
      let link: JSON = ["email": "ada@example.com", "oobCode": .string(code)]
      return try await backend.call("accounts:signInWithEmailLink", link).json
    case .provider:
      let body: JSON = [
        "requestUri": "http://localhost",
        "postBody": "providerId=google.com&id_token=%7B%22sub%22:%22g%22%7D",
      ]
      return try await backend.call("accounts:signInWithIdp", body).json
    case .newPassword:
      let session = try await backend.call("accounts:signUp", password).json
      backend.clock.advance(bySeconds: 10)
      let change: JSON = ["idToken": try #require(session["idToken"]), "password": "analytical"]
      return try await backend.call("accounts:update", change).json
    }
  }

  @Test(arguments: SignIn.allCases)
  func everySignInSetsTheRefreshTime(way: SignIn) async throws {
    let token = try #require(try await tokens(by: way)["idToken"])
    let (_, json) = try await backend.call("accounts:lookup", ["idToken": token])
    #expect(json["users"]?.array?.first?["lastRefreshAt"] == .string(backend.clock.now.iso8601))
  }

  @Test func aRefreshUpdatesTheRefreshTime() async throws {
    let session = try await tokens(by: .anonymous)
    backend.clock.advance(bySeconds: 100)
    let (_, refreshed) = try await backend.refresh(session["refreshToken"])
    let (_, json) = try await backend.call(
      "accounts:lookup", ["idToken": try #require(refreshed["id_token"])])
    #expect(json["users"]?.array?.first?["lastRefreshAt"] == .string(backend.clock.now.iso8601))
  }

  @Test func aUserWhoNeverSignedInHasNoRefreshTime() async throws {
    _ = try await backend.administrate("accounts", ["localId": "ada"])
    let (_, json) = try await backend.administrate("accounts:lookup", ["localId": ["ada"]])
    #expect(json["users"]?.array?.first?["lastRefreshAt"] == nil)
  }
}
