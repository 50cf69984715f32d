import Foundation
import TenonAuth
import TenonFunctions
import TenonStorage
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The independent firebase-client-sdk and the Swift client, which share users, functions and objects.
@Suite(.limited, .deep, .secondOpinions, .patient)
struct FirebaseClientSDKTests {
  private static let eve: JSON = ["email": "eve@example.com", "password": "secret!"]
  private static let google = #"{"sub": "g-1", "email": "eve@example.com", "email_verified": true}"#

  private func withClient(_ body: (ServedBackend, Peer, Auth) async throws -> Void) async throws {
    try await withPeer(.client) { server, client in
      try await server.withApp { app in try await body(server, client, try Auth.auth(app: app)) }
    }
  }

  private func code(_ action: () async throws -> Void) async -> AuthError.Code? {
    await #expect(throws: AuthError.self) { try await action() }?.code
  }

  @Test func theClientSignsInAsTheUserCreatedFromSwift() async throws {
    try await withClient { _, client, auth in
      let uid = try await auth.createUser(withEmail: "eve@example.com", password: "secret!").user.uid
      let request = auth.currentUser?.createProfileChangeRequest()
      request?.displayName = "Eve"
      request?.photoURL = URL(string: "https://example.com/e.png")
      try await request?.commitChanges()
      let user = try await client.call("sign_in", Self.eve)
      #expect(user["uid"] == .string(uid) && user["displayName"] == "Eve")
      #expect(user["photoURL"] == "https://example.com/e.png" && user["providers"] == ["password"])
      let claims = try await client.call("claims", ["force_refresh": true])
      #expect(claims["sub"] == .string(uid) && claims["firebase"]?["sign_in_provider"] == "password")
      let wrong = await failure {
        try await client.call("sign_in", ["email": "eve@example.com", "password": "wrong!"])
      }
      #expect(wrong?.code == "INVALID_PASSWORD")
    }
  }

  @Test func swiftSignsInAsTheUserThatItCreated() async throws {
    try await withClient { _, client, auth in
      let made = try await client.call("sign_up", Self.eve)
      try await client.call("update_profile", ["display_name": "Eve"])
      let user = try await auth.signIn(withEmail: "eve@example.com", password: "secret!").user
      #expect(.string(user.uid) == made["uid"] && user.displayName == "Eve")
      let again = await failure { try await client.call("sign_up", Self.eve) }
      #expect(again?.code == "EMAIL_EXISTS")
    }
  }

  @Test func itsAnonymousUserIsUpgradedAndFoundBySwift() async throws {
    try await withClient { _, client, auth in
      let guest = try await client.call("sign_in_anonymously")
      let linked = try await client.call("link_password", Self.eve)
      #expect(linked["uid"] == guest["uid"] && linked["providers"] == ["password"])
      #expect(
        .string(try await auth.signIn(withEmail: "eve@example.com", password: "secret!").user.uid)
          == guest["uid"]
      )
    }
  }

  @Test func bothSignInAsTheSameUserOfAProvider() async throws {
    try await withClient { _, client, auth in
      let token: JSON = ["token": .string(Self.google)]
      let first = try await client.call("sign_in_with_google", token)
      #expect(first["providers"] == ["google.com"] && first["emailVerified"] == true)
      let credential = OAuthProvider.credential(providerID: .google, idToken: Self.google)
      let result = try await auth.signIn(with: credential)
      #expect(result.additionalUserInfo?.isNewUser == false && .string(result.user.uid) == first["uid"])
      try await auth.currentUser?.link(
        with: EmailAuthProvider.credential(withEmail: "eve@example.com", password: "secret!"))
      #expect(try await client.call("sign_in", Self.eve)["uid"] == first["uid"])
      #expect(try await client.call("unlink", ["provider": "google.com"])["providers"] == ["password"])
      try await auth.currentUser?.reload()
      #expect(auth.currentUser?.providerData.map(\.providerID) == [EmailAuthProvider.id])
      let methods = try await client.call("sign_in_methods", ["email": "eve@example.com"])
      #expect(methods == ["password"])
    }
  }

  @Test func itSignsInWithACustomToken() async throws {
    try await withClient { _, client, auth in
      let token = #"{"uid": "bob", "claims": {"role": "editor"}}"#
      let user = try await client.call("sign_in_with_token", ["token": .string(token)])
      #expect(user["uid"] == "bob")
      #expect(try await client.call("claims", ["force_refresh": true])["role"] == "editor")
      #expect(try await auth.signIn(withCustomToken: token).additionalUserInfo?.isNewUser == false)
    }
  }

  @Test func emailedLinksWorkForBoth() async throws {
    try await withClient { server, client, auth in
      try await client.call("send_link", ["email": "eve@example.com", "url": "https://example.com/in"])
      let link = try await server.mail(to: "eve@example.com").oobLink
      let uid = try await auth.signIn(withEmail: "eve@example.com", link: link.absoluteString).user.uid
      let settings = ActionCodeSettings(
        url: URL(string: "https://example.com/in"), handleCodeInApp: true)
      try await auth.sendSignInLink(toEmail: "eve@example.com", actionCodeSettings: settings)
      let second = try await server.mail(to: "eve@example.com").oobLink.absoluteString
      let user = try await client.call(
        "sign_in_with_link", ["email": "eve@example.com", "link": .string(second)])
      #expect(user["uid"] == .string(uid) && user["emailVerified"] == true)
    }
  }

  @Test func eachUsesTheEmailedCodesOfTheOther() async throws {
    try await withClient { server, client, auth in
      try await client.call("sign_up", Self.eve)
      try await client.call("send_verification")
      try await auth.applyActionCode(try await server.mail(to: "eve@example.com").oobCode)
      #expect(try await client.call("user")["emailVerified"] == true)
      try await auth.sendPasswordReset(withEmail: "eve@example.com")
      let reset: JSON = .string(try await server.mail(to: "eve@example.com").oobCode)
      let info = try await client.call("check_code", ["code": reset])
      #expect(info == ["operation": "PASSWORD_RESET", "email": "eve@example.com"])
      try await client.call("reset_password", ["oob_code": reset, "new_password": "remembered"])
      #expect(
        try await auth.signIn(withEmail: "eve@example.com", password: "remembered").user.email
          == "eve@example.com")
      let used = await failure { try await client.call("apply_code", ["oob_code": reset]) }
      #expect(used?.code == "INVALID_OOB_CODE")
    }
  }

  @Test func aNewPasswordFromSwiftEndsItsSession() async throws {
    try await withClient { _, client, auth in
      _ = try await auth.createUser(withEmail: "eve@example.com", password: "secret!")
      try await client.call("sign_in", Self.eve)
      #expect(try await client.call("refresh")["email"] == "eve@example.com")
      try await auth.currentUser?.updatePassword(to: "changed!")
      let ended = await failure { try await client.call("refresh") }
      #expect(ended?.message.contains("TOKEN_EXPIRED") == true)
      let user = try await client.call("sign_in", ["email": "eve@example.com", "password": "changed!"])
      #expect(user["email"] == "eve@example.com")
    }
  }

  @Test func aNewPasswordFromItEndsTheSessionInSwift() async throws {
    try await withClient { _, client, auth in
      _ = try await auth.createUser(withEmail: "eve@example.com", password: "secret!")
      try await client.call("sign_in", Self.eve)
      try await client.call("update_password", ["password": "changed!"])
      #expect(
        await code { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) } == .userTokenExpired)
      #expect(try await client.call("refresh")["email"] == "eve@example.com")
      _ = try await auth.signIn(withEmail: "eve@example.com", password: "changed!")
    }
  }

  @Test func aUserThatItDeletesIsSignedOutInSwift() async throws {
    try await withClient { _, client, auth in
      _ = try await auth.createUser(withEmail: "eve@example.com", password: "secret!")
      try await client.call("sign_in", Self.eve)
      try await client.call("delete")
      #expect(await code { try await auth.currentUser?.reload() } == .userNotFound)
      #expect(auth.currentUser == nil)
    }
  }

  @Test func functionsReceiveItsUser() async throws {
    try await withClient { _, client, auth in
      let nobody = try await client.call("call_function", ["name": "whoami", "data": .null])
      #expect(nobody == .null)
      let uid = try #require(try await client.call("sign_up", Self.eve)["uid"])
      #expect(try await client.call("call_function", ["name": "whoami", "data": .null]) == uid)
      let echo = try await client.call("call_function", ["name": "echo", "data": ["a": "é"]])
      #expect(echo == ["a": "é"])
      let missing = await failure { try await client.call("call_function", ["name": "none", "data": .null]) }
      #expect(missing?.type == "FunctionsException")
    }
  }

  /// It has no streams.
  @Test func itReceivesTheResultOfAStreamingFunction() async throws {
    try await withClient { _, client, _ in
      let count = try await client.call("call_function", ["name": "count", "data": 3])
      #expect(count == ["count": 3])
      let refused = await failure { try await client.call("call_function", ["name": "count", "data": -1]) }
      // It shows the status instead of the message.
      #expect(refused?.message.contains("OUT_OF_RANGE") == true, "\(String(describing: refused))")
    }
  }

  @Test func objectsAreSharedInBothDirections() async throws {
    try await withPeer(.client) { server, client in
      try await server.withApp { app in
        let storage = try Storage.storage(app: app)
        try await client.call("put", ["path": "shared/from python é.txt", "text": "hello"])
        let object = storage.reference(withPath: "shared/from python é.txt")
        #expect(String(decoding: try await object.data(), as: UTF8.self) == "hello")
        let own = storage.reference(withPath: "shared/from swift + 100%.txt")
        _ = try await own.putDataAsync(Data("hallo".utf8))
        let path: JSON = .string(own.fullPath)
        #expect(try await client.call("get", ["remote_path": path]) == "hallo")
        let listed = try await client.call("list", ["path": "shared"])
        #expect(listed == [.string(object.fullPath), path])
        try await client.call("remove", ["path_or_ref": path])
        #expect(
          try await storage.reference(withPath: "shared").listAll().items.map(\.fullPath) == [object.fullPath]
        )
      }
    }
  }
}
