import Foundation
import TenonTransportInterop
import Testing

@testable import TenonAuth

struct CredentialTests {
  private let google = AuthCredential.provider(.google, idToken: "g1")

  @Test func aProviderSignsANewUserIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let first = try await auth.signIn(with: google)
    #expect(first.isNewUser && first.profile?.providerID == .google)
    #expect(first.profile?.json == #"{"given_name":"Ada"}"#)
    #expect(first.user.providers.map(\.providerID) == [.google])
    #expect(first.profile?.uid == "g1" && first.user.providers.first?.uid == "g1")
    let second = try await auth.signIn(with: google)
    #expect(!second.isNewUser && second.user.uid == first.user.uid)
    #expect(fixture.server.methods == ["signInWithIdp", "lookup", "signInWithIdp", "lookup"])
  }

  @Test func theIDAtAProviderThatTheUserDoesNotHaveIsTheFederatedOne() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let uid = try await auth.signIn(with: google).user.uid
    fixture.server.answer("lookup", #"{"users":[{"localId":"\#(uid)"}]}"#)
    #expect(try await auth.signIn(with: google).profile?.uid == "https://accounts.google.com/g1")
  }

  @Test func theProofTravelsEncoded() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var name = PersonNameComponents()
    name.givenName = "Ada"
    let credential = AuthCredential.provider(
      .apple,
      idToken: "a+b/c=&d",
      accessToken: "t",
      rawNonce: "n",
      fullName: name
    )
    _ = try await fixture.launch().signIn(with: credential)
    let body = try #require(fixture.server.request("signInWithIdp")).json
    #expect(
      body["postBody"]
        == "providerId=apple.com&id_token=a%2Bb%2Fc%3D%26d&access_token=t&nonce=n"
        + "&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%22%7D%7D"
    )
    #expect(body["requestUri"] == "http://localhost" && body["idToken"] == nil)
  }

  @Test func aCustomTokenSignsIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let result = try await auth.signIn(customToken: "ada")
    #expect(result.isNewUser)
    #expect(try await auth.currentUser == result.user)
    #expect(try await !auth.signIn(customToken: "ada").isNewUser)
    let error = await #expect(throws: AuthError.self) { try await auth.signIn(customToken: "") }
    #expect(error?.code == .invalidCustomToken)
  }

  @Test func linkingAProviderKeepsTheUsersID() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let linked = try await auth.link(with: google)
    #expect(linked.uid == guest.uid && !linked.isAnonymous)
    #expect(try #require(fixture.server.request("signInWithIdp")).json["idToken"] != nil)
    #expect(try await fixture.launch().currentUser == linked)
    let error = await #expect(throws: AuthError.self) { try await auth.link(with: google) }
    #expect(error?.code == .providerAlreadyLinked)
  }

  @Test func anIdentityOfAnotherUserComesWithACredentialToGoOn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    fixture.server.answer(
      "signInWithIdp",
      #"{"errorMessage":"FEDERATED_USER_ID_ALREADY_LINKED","email":"ada@example.com","oauthIdToken":"g1"}"#
    )
    let error = await #expect(throws: AuthError.self) { try await auth.link(with: google) }
    #expect(error?.code == .credentialAlreadyInUse && error?.email == "ada@example.com")
    #expect(try await auth.currentUser == guest)
    let credential = try #require(error?.credential)
    #expect(try await auth.signIn(with: credential).user.uid != guest.uid)
  }

  @Test func anUnverifiedAddressOfAnotherUserTellsHowThatUserSignsIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer(
      "signInWithIdp",
      #"""
      {"needConfirmation":true,"email":"ada@example.com","verifiedProvider":["password"],"oauthIdToken":"secret-g1"}
      """#
    )
    let error = try #require(await #expect(throws: AuthError.self) { try await auth.signIn(with: google) })
    #expect(error.code == .accountExistsWithDifferentCredential)
    #expect(error.email == "ada@example.com" && error.providers == [.password])
    #expect(error.credential?.providerID == .google)
    #expect(!"\(error) \(String(reflecting: error.credential))".contains("secret"))
    #expect(try await auth.currentUser == nil)
  }

  @Test func unlinkingTakesTheProvider() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    _ = try await auth.link(with: .provider(.apple, idToken: "a1"))
    let user = try await auth.unlink(.google)
    #expect(user.providers.map(\.providerID) == [.apple])
    #expect(try #require(fixture.server.request("update")).json["deleteProvider"] == "google.com")
    let count = fixture.server.methods.count
    let error = await #expect(throws: AuthError.self) { try await auth.unlink(.google) }
    #expect(error?.code == .noSuchProvider)
    #expect(fixture.server.methods.count == count)
  }

  @Test func aFreshProofBringsNewTokensForTheSameUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let before = try await auth.idToken()
    let user = try await auth.reauthenticate(with: .password(email: "ada@example.com", password: "lovelace"))
    #expect(user.uid == ada.uid)
    #expect(try await auth.idToken() != before)
  }

  @Test func theProofOfAnotherUserChangesNothing() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    let ada = try await auth.createUser(email: "ada@example.com", password: "lovelace").user
    let token = try await auth.idToken()
    let error = await #expect(throws: AuthError.self) { try await auth.reauthenticate(with: google) }
    #expect(error?.code == .userMismatch)
    fixture.server.fail("signInWithIdp", "USER_NOT_FOUND")
    let unknown = await #expect(throws: AuthError.self) { try await auth.reauthenticate(with: google) }
    #expect(unknown?.code == .userMismatch)
    #expect(try await auth.currentUser == ada)
    #expect(try await auth.idToken() == token)
  }

  @Test func aProofCreatesNobody() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    try await auth.reauthenticate(with: google)
    let request = try #require(fixture.server.request("signInWithIdp"))
    guard case .data(let body) = request.body else {
      Issue.record("The request has no body.")
      return
    }
    #expect(String(decoding: body, as: UTF8.self).contains(#""autoCreate":false"#))
  }

  @Test func aSecondFactorIsAskedForByAnError() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    fixture.server.answer("signInWithPassword", #"{"localId":"ada","mfaPendingCredential":"pending"}"#)
    let error = await #expect(throws: AuthError.self) {
      try await auth.signIn(email: "ada@example.com", password: "lovelace")
    }
    #expect(error?.code == .multiFactorRequired)
    #expect(try await auth.currentUser == nil)
  }

  @Test func credentialsShowNoSecrets() throws {
    let link = try #require(URL(string: "https://a.example.com/?mode=signIn&oobCode=secret-code"))
    let credentials = [
      AuthCredential.password(email: "ada@example.com", password: "secret-password"),
      try .emailLink(email: "ada@example.com", link: link),
      .provider(.google, idToken: "secret-id", accessToken: "secret-access", rawNonce: "secret-nonce"),
    ]
    for credential in credentials {
      var dumped = ""
      dump(credential, to: &dumped)
      #expect(!"\(credential) \(String(reflecting: credential)) \(dumped)".contains("secret"))
    }
  }
}
