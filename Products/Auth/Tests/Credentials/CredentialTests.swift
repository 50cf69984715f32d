import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonAuth

@Suite(.limited) struct CredentialTests {
  private let google = OAuthProvider.credential(providerID: .google, idToken: "g1")

  @Test func aProviderSignsANewUserIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let first = try await auth.signIn(with: google)
    let info = try #require(first.additionalUserInfo)
    #expect(info.isNewUser && info.providerID == GoogleAuthProvider.id && info.username == nil)
    #expect(first.user.providerData.map(\.providerID) == [GoogleAuthProvider.id])
    #expect(first.user.providerData.first?.uid == "g1")
    let second = try await auth.signIn(with: google)
    #expect(second.additionalUserInfo?.isNewUser == false && second.user === first.user)
    #expect(fixture.server.methods == ["signInWithIdp", "lookup", "signInWithIdp", "lookup"])
  }

  @Test func theProvidersDataIsInPlainValues() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let profile = try #require(try await auth.signIn(with: google).additionalUserInfo?.profile)
    #expect(profile["given_name"] as? String == "Ada" && profile["id"] as? Int == 7)
    #expect(profile["score"] as? Double == 1.5 && profile["verified"] as? Bool == true)
    let tags = try #require(profile["tags"] as? [any Sendable])
    #expect(tags.count == 2 && tags[0] as? String == "a" && tags[1] is NSNull && profile["missing"] == nil)
  }

  @Test func gitHubsNameOfTheUserIsReported() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let tokens = fixture.server.state.withLock { state in
      state.users.append(ScriptedServer.User(uid: "ada", refreshToken: "refresh"))
      return state.tokens(0)
    }
    let idToken = try #require(tokens["idToken"] as? String)
    fixture.server.answer(
      "signInWithIdp",
      #"{"idToken":"\#(idToken)","refreshToken":"refresh","providerId":"github.com","rawUserInfo":"{\"login\":\"al\"}"}"#
    )
    let result = try await auth.signIn(with: GitHubAuthProvider.credential(withToken: "t"))
    #expect(result.additionalUserInfo?.username == "al")
  }

  @Test func theProvidersTokensAreReturned() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let sent = GoogleAuthProvider.credential(withIDToken: "g1", accessToken: "access-1")
    #expect(sent.idToken == "g1" && sent.accessToken == "access-1" && sent.provider == "google.com")
    let returned = try await auth.signIn(with: sent).credential
    #expect(returned?.accessToken == "access-1" && returned?.provider == GoogleAuthProvider.id)
    #expect(EmailAuthProvider.credential(withEmail: "a@b", password: "secret").idToken == nil)
  }

  @Test func theNameOfAnAppleCredentialIsOptional() throws {
    struct Other: Encodable { var size = 3 }
    struct Name: Encodable { var givenName = "Ada", familyName = "Lovelace" }
    func form(_ credential: AuthCredential) throws -> String? {
      guard case .provider(let proof) = credential.proof else { return nil }
      return try proof.form(for: "apple.com").value
    }
    let nameless = OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: nil)
    #expect(try form(nameless) == "providerId=apple.com&id_token=t")
    var name = PersonNameComponents()
    let empty = OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: name)
    #expect(try form(empty) == "providerId=apple.com&id_token=t")
    name.givenName = "Ada"
    name.familyName = "Lovelace"
    let full = try form(OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: name))
    #expect(full?.contains("firstName") == true && full?.contains("Lovelace") == true)
    let missing: PersonNameComponents? = nil
    #expect(
      try form(OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: missing))
        == form(nameless))
    #if canImport(FoundationEssentials)
      let other = OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: Other())
      #expect(try form(other) == form(nameless))
      let named = OAuthProvider.appleCredential(withIDToken: "t", rawNonce: nil, fullName: Name())
      #expect(try form(named)?.contains("Lovelace") == true)
    #endif
  }

  @Test func theCredentialIsSentEncoded() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    var name = PersonNameComponents()
    name.givenName = "Ada"
    let apple = OAuthProvider.appleCredential(withIDToken: "a+b/c=&d", rawNonce: "n", fullName: name)
    _ = try await fixture.launch().signIn(with: apple)
    let body = try #require(fixture.server.request("signInWithIdp")).json
    #expect(
      body["postBody"]
        == "providerId=apple.com&id_token=a%2Bb%2Fc%3D%26d&nonce=n"
        + "&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%22%7D%7D"
    )
    #expect(body["requestUri"] == "http://localhost" && body["idToken"] == nil)
  }

  @Test(
    arguments: [
      (
        OAuthProvider.credential(
          providerID: .custom("oidc.x"), idToken: "i", rawNonce: "n", accessToken: "t"),
        "providerId=oidc.x&id_token=i&access_token=t&nonce=n"
      ),
      (
        OAuthProvider.credential(providerID: .google, idToken: "i", accessToken: "t"),
        "providerId=google.com&id_token=i&access_token=t"
      ),
      (
        OAuthProvider.credential(providerID: .apple, accessToken: "t"),
        "providerId=apple.com&access_token=t"
      ),
      (
        GoogleAuthProvider.credential(withIDToken: "i", accessToken: "t"),
        "providerId=google.com&id_token=i&access_token=t"
      ),
      (FacebookAuthProvider.credential(withAccessToken: "t"), "providerId=facebook.com&access_token=t"),
      (GitHubAuthProvider.credential(withToken: "t"), "providerId=github.com&access_token=t"),
    ]
  )
  func eachProviderSendsItsTokens(credential: AuthCredential, body: String) async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    _ = try await fixture.launch().signIn(with: credential)
    #expect(fixture.server.request("signInWithIdp")?.json["postBody"] == body)
  }

  @Test func aCustomTokenSignsIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let result = try await auth.signIn(withCustomToken: "ada")
    #expect(result.additionalUserInfo == AdditionalUserInfo(providerID: "", isNewUser: true))
    #expect(auth.currentUser === result.user)
    #expect(try await auth.signIn(withCustomToken: "ada").additionalUserInfo?.isNewUser == false)
    let error = await #expect(throws: AuthError.self) { try await auth.signIn(withCustomToken: "") }
    #expect(error?.code == .invalidCustomToken)
  }

  @Test func linkingAProviderKeepsTheUsersID() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    let uid = guest.uid
    let linked = try await guest.link(with: google)
    #expect(linked.user === guest && guest.uid == uid && !guest.isAnonymous)
    #expect(linked.additionalUserInfo?.providerID == GoogleAuthProvider.id)
    #expect(try #require(fixture.server.request("signInWithIdp")).json["idToken"] != nil)
    #expect(try fixture.launch().user.profile == guest.profile)
    let error = await #expect(throws: AuthError.self) { try await auth.user.link(with: google) }
    #expect(error?.code == .providerAlreadyLinked)
  }

  @Test func aCredentialOfAnotherUserIsAnErrorThatSignsThatUserIn() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let guest = try await auth.signInAnonymously().user
    fixture.server.answer(
      "signInWithIdp",
      #"{"errorMessage":"FEDERATED_USER_ID_ALREADY_LINKED","email":"ada@example.com","oauthIdToken":"g1"}"#
    )
    let error = await #expect(throws: AuthError.self) { try await auth.user.link(with: google) }
    #expect(error?.code == .credentialAlreadyInUse && error?.email == "ada@example.com")
    #expect(auth.currentUser === guest && guest.isAnonymous)
    let credential = try #require(error?.credential)
    #expect(try await auth.signIn(with: credential).user.uid != guest.uid)
  }

  @Test func anUnverifiedAddressOfAnotherUserIsAnErrorThatNamesTheProviders() async throws {
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
    #expect(error.email == "ada@example.com" && error.providers == [EmailAuthProvider.id])
    #expect(error.credential?.provider == GoogleAuthProvider.id)
    #expect(!"\(error) \(String(reflecting: error.credential))".contains("secret"))
    #expect(auth.currentUser == nil)
  }

  @Test func unlinkingRemovesTheProvider() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    try await auth.user.link(with: OAuthProvider.credential(providerID: .apple, idToken: "a1"))
    let user = try await auth.user.unlink(fromProvider: "google.com")
    #expect(user === auth.currentUser && user.providerData.map(\.providerID) == ["apple.com"])
    #expect(try #require(fixture.server.request("update")).json["deleteProvider"] == "google.com")
    let count = fixture.server.methods.count
    let error = await #expect(throws: AuthError.self) {
      try await auth.user.unlink(fromProvider: "google.com")
    }
    #expect(error?.code == .noSuchProvider)
    #expect(fixture.server.methods.count == count)
  }

  @Test func reauthenticatingBringsNewTokensForTheSameUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let before = try await auth.user.getIDToken()
    let result = try await ada.reauthenticate(with: .email("ada@example.com", "lovelace"))
    #expect(result.user === ada && auth.currentUser === ada)
    #expect(try await auth.user.getIDToken() != before)
  }

  @Test func reauthenticatingAsAnotherUserChangesNothing() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    let ada = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    let token = try await auth.user.getIDToken()
    let error = await #expect(throws: AuthError.self) { try await auth.user.reauthenticate(with: google) }
    #expect(error?.code == .userMismatch)
    fixture.server.fail("signInWithIdp", "USER_NOT_FOUND")
    let unknown = await #expect(throws: AuthError.self) { try await auth.user.reauthenticate(with: google) }
    #expect(unknown?.code == .userMismatch)
    #expect(auth.currentUser === ada)
    #expect(try await ada.getIDToken() == token)
  }

  @Test func reauthenticatingCreatesNoUser() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    _ = try await auth.signIn(with: google)
    try await auth.user.reauthenticate(with: google)
    let request = try #require(fixture.server.request("signInWithIdp"))
    guard case .data(let body) = request.body else {
      Issue.record("The request has no body.")
      return
    }
    #expect(String(decoding: body, as: UTF8.self).contains(#""autoCreate":false"#))
  }

  @Test func aRequiredSecondFactorIsAnError() async throws {
    let fixture = try AuthFixture()
    defer { fixture.remove() }
    let auth = try fixture.launch()
    let factors = #"[{"mfaEnrollmentId":"f1","phoneInfo":"+*0100"},{"mfaEnrollmentId":"f2","futureInfo":{}}]"#
    fixture.server.answer(
      "signInWithPassword", #"{"localId":"ada","mfaPendingCredential":"pending","mfaInfo":\#(factors)}"#)
    let error = await #expect(throws: AuthError.self) {
      try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
    }
    #expect(error?.code == .secondFactorRequired)
    #expect(auth.currentUser == nil)
    let resolver = try #require(error?.multiFactorResolver)
    // A kind that this version doesn't know is left out.
    #expect(resolver.hints.map(\.uid) == ["f1"])
    for text in disclosedTexts(of: resolver) + disclosedTexts(of: try #require(error)) {
      #expect(!text.contains("pending\""))
    }
  }

  @Test func credentialsContainNoSecretsInDescriptions() throws {
    let link = "https://a.example.com/?mode=signIn&oobCode=secret-code"
    let credentials = [
      EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-password"),
      EmailAuthProvider.credential(withEmail: "ada@example.com", link: link),
      OAuthProvider.credential(
        providerID: .google, idToken: "secret-id", rawNonce: "secret-nonce", accessToken: "secret-access"),
    ]
    for credential in credentials {
      var dumped = ""
      dump(credential, to: &dumped)
      #expect(!"\(credential) \(String(reflecting: credential)) \(dumped)".contains("secret"))
    }
  }
}
