import Foundation
import TenonAuth
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Google's firebase-admin as the administrator of users who sign in with the Swift client.
@Suite(.limited, .deep, .secondOpinions, .patient)
struct FirebaseAdminTests {
  private static let ada: JSON = [
    "uid": "ada", "email": "Ada@example.com", "password": "lovelace", "display_name": "Ada",
    "photo_url": "https://example.com/ada.png", "email_verified": true,
  ]

  /// Runs a closure with a server, the administrator, and Auth of an app.
  private func withAdmin(_ body: (ServedBackend, Peer, Auth) async throws -> Void) async throws {
    try await withPeer(.admin) { server, admin in
      try await server.withApp { app in try await body(server, admin, try Auth.auth(app: app)) }
    }
  }

  private func code(_ action: () async throws -> Void) async -> AuthError.Code? {
    await #expect(throws: AuthError.self) { try await action() }?.code
  }

  @Test func usersCreatedByTheAdministratorSignInFromSwift() async throws {
    try await withAdmin { _, admin, auth in
      let created = try await admin.call("create_user", Self.ada)
      #expect(created["email"] == "ada@example.com" && created["lastSignIn"] == .null)
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
      #expect(user.uid == "ada" && user.displayName == "Ada" && user.isEmailVerified)
      #expect(user.photoURL == URL(string: "https://example.com/ada.png"))
      #expect(user.providerData.map(\.providerID) == [EmailAuthProvider.id])
      let found = try await admin.call("get_user", ["uid": "ada"])
      #expect(found["lastSignIn"] != .null && found["providers"] == ["password"])
    }
  }

  @Test func usersCreatedFromSwiftAreFoundByTheAdministrator() async throws {
    try await withAdmin { _, admin, auth in
      let guest = try await auth.signInAnonymously().user.uid
      let eve = try await auth.createUser(withEmail: "eve@example.com", password: "secret!").user.uid
      let google = OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "g-1"}"#)
      try await auth.currentUser?.link(with: google)
      let found = try await admin.call("get_user_by_email", ["email": "EVE@example.com"])
      #expect(found["uid"] == .string(eve) && found["providers"] == ["password", "google.com"])
      let several = try await admin.call(
        "get_users",
        [
          "uids": [.string(guest), "nobody"], "emails": ["eve@example.com"],
          "providers": [["google.com", "g-1"]],
        ])
      #expect(several["missing"] == 1)
      let ids = Set((several["users"]?.array ?? []).compactMap { $0["uid"]?.string })
      #expect(ids == [guest, eve])
      let nobody = await failure { try await admin.call("get_user", ["uid": "nobody"]) }
      #expect(nobody?.type == "UserNotFoundError")
    }
  }

  @Test func tenantsAndTheirTokensAreTheSameToBoth() async throws {
    try await withAdmin { server, admin, auth in
      let owner = ["Authorization": "Bearer owner"]
      let path = "/identitytoolkit.googleapis.com/v2/projects/\(ServedBackend.project)/tenants"
      var tenants: [String] = []
      for name in ["acme", "other"] {
        let body: JSON = ["displayName": .string(name), "allowPasswordSignup": true]
        let answer = try await server.send(.post, path, body, headers: owner)
        tenants.append(try #require(try JSON(parsing: answer.body)["tenantId"]?.string))
      }
      let (acme, other) = (JSON.string(tenants[0]), JSON.string(tenants[1]))
      try await admin.call(
        "tenant_create_user",
        ["tenant": acme, "uid": "ada", "email": "ada@example.com", "password": "lovelace"])
      auth.tenantID = tenants[0]
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
      #expect(user.uid == "ada" && user.tenantID == tenants[0])
      let token = JSON.string(try await user.getIDToken())
      let claims = try await admin.call("tenant_verify", ["tenant": acme, "token": token])
      #expect(claims["uid"] == "ada" && claims["firebase"]?["tenant"] == acme)
      let refused = await failure {
        try await admin.call("tenant_verify", ["tenant": other, "token": token])
      }
      #expect(refused?.type == "TenantIdMismatchError")
      let custom = try #require(
        try await admin.call("tenant_custom_token", ["tenant": other, "uid": "bob"]).string)
      #expect(await code { try await auth.signIn(withCustomToken: custom) } == .tenantIDMismatch)
      auth.tenantID = tenants[1]
      #expect(try await auth.signIn(withCustomToken: custom).user.tenantID == tenants[1])
      #expect(try await admin.call("tenant_users", ["tenant": acme]) == [["ada", acme]])
      #expect(try await admin.call("tenant_users", ["tenant": other]) == [["bob", other]])
    }
  }

  @Test func usersAreListedPageByPage() async throws {
    try await withAdmin { _, admin, auth in
      for number in 1...4 { try await admin.call("create_user", ["uid": .string("user-\(number)")]) }
      let guest = try await auth.signInAnonymously().user.uid
      let all = Set((1...4).map { "user-\($0)" } + [guest])
      let pages = try await admin.call("list_users", ["page_size": 2]).array ?? []
      #expect(pages.compactMap { $0.array?.count } == [2, 2, 1])
      #expect(Set(pages.flatMap { $0.array ?? [] }.compactMap(\.string)) == all)
      #expect(Set(try await admin.call("all_users").array?.compactMap(\.string) ?? []) == all)
    }
  }

  @Test func theAdministratorsChangesAreVisibleToSwift() async throws {
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      let changed = try await admin.call("update_user", ["uid": "ada", "display_name": "Countess"])
      #expect(changed["displayName"] == "Countess")
      try await auth.currentUser?.reload()
      #expect(auth.currentUser?.displayName == "Countess")
      let cleared = try await admin.call(
        "update_user", ["uid": "ada", "delete": ["display_name", "photo_url"]])
      #expect(cleared["displayName"] == .null && cleared["photoURL"] == .null)
      try await auth.currentUser?.reload()
      #expect(auth.currentUser?.displayName == nil)
      try await admin.call(
        "update_user", ["uid": "ada", "password": "analytical", "email": "countess@example.com"])
      #expect(
        await code { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) } == .userTokenExpired)
      #expect(auth.currentUser == nil)
      #expect(
        await code { _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace") }
          == .userNotFound)
      #expect(
        try await auth.signIn(withEmail: "countess@example.com", password: "analytical").user.uid == "ada")
    }
  }

  @Test func claimsAreInTheNextTokenOfSwift() async throws {
    struct Claims: Codable { var role: String? }
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      try await admin.call("set_claims", ["uid": "ada", "claims": ["role": "editor"]])
      let before = try await #require(auth.currentUser).getIDTokenResult()
      #expect(try before.claims(as: Claims.self).role == nil)
      let result = try await #require(auth.currentUser).getIDTokenResult(forcingRefresh: true)
      #expect(try result.claims(as: Claims.self).role == "editor")
      let verified = try await admin.call("verify", ["token": .string(result.token)])
      #expect(verified["role"] == "editor" && verified["uid"] == "ada")
      #expect(try await admin.call("get_user", ["uid": "ada"])["claims"] == ["role": "editor"])
    }
  }

  @Test func theTokensOfSwiftAreValid() async throws {
    try await withAdmin { _, admin, auth in
      let guest = try await auth.signInAnonymously().user.uid
      let first = try await #require(auth.currentUser).getIDToken()
      let anonymous = try await admin.call("verify", ["token": .string(first), "check_revoked": true])
      #expect(anonymous["uid"] == .string(guest))
      #expect(anonymous["firebase"]?["sign_in_provider"] == "anonymous")
      try await auth.currentUser?.link(
        with: EmailAuthProvider.credential(withEmail: "ann@example.com", password: "secret!"))
      let second = try await #require(auth.currentUser).getIDToken()
      let linked = try await admin.call("verify", ["token": .string(second)])
      #expect(linked["uid"] == .string(guest) && linked["email"] == "ann@example.com")
      #expect(linked["firebase"]?["sign_in_provider"] == "password")
      let broken = await failure { try await admin.call("verify", ["token": .string(second + "x.y")]) }
      #expect(broken?.type == "InvalidIdTokenError")
    }
  }

  @Test func theServersAppCheckTokensAreValid() async throws {
    try await withPeer(.admin) { server, admin in
      let app = "1:42:web:a1"
      let service = "/firebaseappcheck.googleapis.com"
      let answer = try await server.send(
        .post,
        "\(service)/v1/projects/\(ServedBackend.project)/apps/\(app):exchangeDebugToken?key=any",
        ["debug_token": "d", "limited_use": true])
      let token = try #require(try JSON(parsing: answer.body)["token"]?.string)
      let claims = try await admin.call("verify_app_check", ["token": .string(token)])
      #expect(claims["app_id"] == .string(app) && claims["sub"] == .string(app))
      #expect(claims["iss"] == "https://firebaseappcheck.googleapis.com/42")
      #expect(claims["aud"] == ["projects/42", .string("projects/\(ServedBackend.project)")])
      for isConsumed in [false, true] {
        let use = try await admin.call("verify_app_check", ["token": .string(token), "consume": true])
        #expect(use["already_consumed"] == .bool(isConsumed))
      }
      // A payload of another app, with the signature of this one.
      var parts = token.split(separator: ".").map(String.init)
      let payload = try #require(Base64URL.decode(parts[1]))
      parts[1] = Base64URL.encode(
        Data(String(decoding: payload, as: UTF8.self).replacing(app, with: "1:42:web:b2").utf8))
      for forged in [parts.joined(separator: "."), "\(parts[0]).\(parts[1])."] {
        #expect(await failure { try await admin.call("verify_app_check", ["token": .string(forged)]) } != nil)
      }
    }
  }

  @Test func aDisabledUserIsRejectedUntilEnabledAgain() async throws {
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      let token = try await #require(auth.currentUser).getIDToken()
      #expect(try await admin.call("update_user", ["uid": "ada", "disabled": true])["disabled"] == true)
      let verified = await failure {
        try await admin.call("verify", ["token": .string(token), "check_revoked": true])
      }
      #expect(verified?.type == "UserDisabledError")
      #expect(
        await code { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) } == .userDisabled)
      #expect(
        await code { _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace") }
          == .userDisabled)
      try await admin.call("update_user", ["uid": "ada", "disabled": false])
      #expect(try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user.uid == "ada")
    }
  }

  @Test func revokedSessionsEnd() async throws {
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      let token = try await #require(auth.currentUser).getIDToken()
      let check: JSON = ["token": .string(token), "check_revoked": true]
      #expect(try await admin.call("verify", check)["uid"] == "ada")
      // Tokens have times in whole seconds: a token of the second of the revocation is still valid.
      var refusal: Peer.Failure?
      while refusal == nil {
        try await admin.call("revoke", ["uid": "ada"])
        do { try await admin.call("verify", check) } catch let failure as Peer.Failure { refusal = failure }
      }
      #expect(refusal?.type == "RevokedIdTokenError")
      #expect(
        await code { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) } == .userTokenExpired)
      #expect(try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user.uid == "ada")
    }
  }

  @Test func aDeletedUserIsSignedOutInSwift() async throws {
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      try await admin.call("delete_user", ["uid": "ada"])
      #expect(await code { try await auth.currentUser?.reload() } == .userNotFound)
      #expect(auth.currentUser == nil)
      let again = await failure { try await admin.call("delete_user", ["uid": "ada"]) }
      #expect(again?.type == "UserNotFoundError")
      for uid in ["a", "b"] as [JSON] { try await admin.call("create_user", ["uid": uid]) }
      let outcome = try await admin.call("delete_users", ["uids": ["a", "b", "nobody"]])
      #expect(outcome == ["deleted": 3, "failed": 0])
      #expect(try await admin.call("all_users") == [])
    }
  }

  @Test func aCustomTokenOfTheAdministratorSignsInWithItsClaims() async throws {
    struct Claims: Codable { var role: String? }
    try await withAdmin { _, admin, auth in
      let token = try await admin.call("custom_token", ["uid": "bob", "claims": ["role": "editor"]])
      let first = try await auth.signIn(withCustomToken: try #require(token.string))
      #expect(first.additionalUserInfo?.isNewUser == true && first.user.uid == "bob")
      let result = try await #require(auth.currentUser).getIDTokenResult(forcingRefresh: true)
      #expect(try result.claims(as: Claims.self).role == "editor" && result.signInProvider == "custom")
      #expect(try await admin.call("verify", ["token": .string(result.token)])["role"] == "editor")
      #expect(
        try await auth.signIn(withCustomToken: try #require(token.string)).additionalUserInfo?.isNewUser
          == false)
      try await admin.call("update_user", ["uid": "bob", "disabled": true])
      let text = try #require(token.string)
      #expect(await code { _ = try await auth.signIn(withCustomToken: text) } == .userDisabled)
    }
  }

  @Test func aSessionCookieIsValidUntilTheUserIsDisabled() async throws {
    try await withAdmin { _, admin, auth in
      let uid = try await auth.createUser(withEmail: "eve@example.com", password: "secret!").user.uid
      let token = try await #require(auth.currentUser).getIDToken()
      let cookie = try await admin.call("session_cookie", ["token": .string(token), "seconds": 3_600])
      #expect(try await admin.call("verify_cookie", ["cookie": cookie])["uid"] == .string(uid))
      try await admin.call("update_user", ["uid": .string(uid), "disabled": true])
      let refused = await failure { try await admin.call("verify_cookie", ["cookie": cookie]) }
      #expect(refused?.type == "UserDisabledError")
    }
  }

  @Test func theLinksOfTheAdministratorWorkInSwift() async throws {
    try await withAdmin { server, admin, auth in
      try await admin.call(
        "create_user", ["uid": "eve", "email": "eve@example.com", "password": "forgotten"])
      func link(_ kind: JSON, _ url: JSON = .null) async throws -> URL {
        let text = try await admin.call("link", ["kind": kind, "email": "eve@example.com", "url": url]).string
        return try #require(text.flatMap { URL(string: $0) })
      }
      func code(in link: URL) throws -> String {
        let items = URLComponents(url: link, resolvingAgainstBaseURL: true)?.queryItems
        return try #require(items?.first { $0.name == "oobCode" }?.value)
      }
      let reset = try code(in: try await link("reset"))
      #expect(try await auth.verifyPasswordResetCode(reset) == "eve@example.com")
      try await auth.confirmPasswordReset(withCode: reset, newPassword: "remembered")
      _ = try await auth.signIn(withEmail: "eve@example.com", password: "remembered")
      try await admin.call("update_user", ["uid": "eve", "email_verified": false])
      try await auth.applyActionCode(try code(in: try await link("verify")))
      #expect(try await admin.call("get_user", ["uid": "eve"])["emailVerified"] == true)
      try await auth.signOut()
      let signIn = try await link("sign-in", "https://example.com/next")
      #expect(auth.isSignIn(withEmailLink: signIn.absoluteString))
      #expect(
        try await auth.signIn(withEmail: "eve@example.com", link: signIn.absoluteString).user.uid == "eve")
    }
  }

  @Test func importedUsersSignInWithTheirProvider() async throws {
    struct Claims: Codable { var role: String? }
    try await withAdmin { _, admin, auth in
      let outcome = try await admin.call(
        "import_users",
        [
          "users": [
            [
              "uid": "gus", "email": "Gus@example.com", "email_verified": true, "display_name": "Gus",
              "custom_claims": ["role": "editor"],
              "providers": [["uid": "g-7", "provider_id": "google.com", "email": "gus@example.com"]],
            ],
            ["uid": "twin", "email": "gus@example.com"],
          ]
        ])
      #expect(outcome == ["imported": 1, "errors": [[1, "email exists in other account in database"]]])
      let result = try await auth.signIn(
        with: OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "g-7"}"#))
      #expect(
        result.additionalUserInfo?.isNewUser == false && result.user.uid == "gus"
          && result.user.email == "gus@example.com")
      let claims = try await #require(auth.currentUser).getIDTokenResult().claims(as: Claims.self)
      #expect(claims.role == "editor")
    }
  }

  /// Google's kit describes the functions, and Python computes the hashes.
  @Test func usersImportedWithHashesOfOtherSystemsSignIn() async throws {
    try await withAdmin { _, admin, auth in
      let emails = try await admin.call("import_hashes", ["password": "pässword"]).array ?? []
      #expect(emails.count == 12)
      for email in emails.compactMap(\.string) {
        #expect(
          await code { try await auth.signIn(withEmail: email, password: "password") } == .wrongPassword,
          "\(email)")
        // Twice: with the imported hash, and with the one that replaces it.
        for _ in 0..<2 {
          #expect(try await auth.signIn(withEmail: email, password: "pässword").user.email == email)
        }
      }
    }
  }

  @Test func providersAreConfiguredByTheAdministrator() async throws {
    try await withAdmin { server, admin, _ in
      let path = "/identitytoolkit.googleapis.com/v2/projects/\(ServedBackend.project)/tenants"
      let answer = try await server.send(.post, path, [:], headers: ["Authorization": "Bearer owner"])
      let tenant = try #require(try JSON(parsing: answer.body)["tenantId"])
      let certificate = JSON.string(ProviderExamples.certificate)
      for place in [.null, tenant] {
        let found = try await admin.call("providers", ["certificate": certificate, "tenant": place])
        let created: JSON = [
          "id": "oidc.acme", "name": "Acme", "enabled": false, "client": "client",
          "issuer": "https://acme.example.com", "secret": .null, "idToken": true, "code": false,
        ]
        #expect(found["created"] == created, "\(found)")
        let changed: JSON = [
          "id": "oidc.acme", "name": .null, "enabled": true, "client": "client",
          "issuer": "https://acme.example.com", "secret": "secret", "idToken": false, "code": true,
        ]
        #expect(found["changed"] == changed && found["got"] == changed)
        let entity: JSON = [
          "id": "saml.acme", "name": .null, "enabled": false, "idp": "idp",
          "sso": "https://acme.example.com/sso",
          "certificates": [certificate], "rp": "rp", "callback": "https://app.example.com/callback",
        ]
        #expect(found["entity"] == entity)
        #expect(
          found["moved"]?["sso"] == "https://acme.example.com/other" && found["moved"]?["enabled"] == true)
        #expect(found["moved"]?["certificates"] == [certificate, certificate])
        #expect(found["gotEntity"] == found["moved"] && found["saml"] == ["saml.acme"])
        #expect(found["pages"] == [["oidc.acme", "oidc.other0"], ["oidc.other1", "oidc.other2"], []])
        #expect(found["again"] == "ConflictError" && found["issuer"] == "InvalidArgumentError")
        #expect(found["deleted"] == ["ConfigurationNotFoundError", "ConfigurationNotFoundError"])
      }
    }
  }

  @Test func valuesOfOtherUsersAreRejected() async throws {
    try await withAdmin { _, admin, auth in
      _ = try await auth.createUser(withEmail: "eve@example.com", password: "secret!")
      try await admin.call("create_user", ["uid": "ada"])
      let email = await failure { try await admin.call("create_user", ["email": "eve@example.com"]) }
      #expect(email?.type == "EmailAlreadyExistsError")
      let uid = await failure { try await admin.call("create_user", ["uid": "ada"]) }
      #expect(uid?.type == "UidAlreadyExistsError")
      let moved = await failure {
        try await admin.call("update_user", ["uid": "ada", "email": "eve@example.com"])
      }
      #expect(moved?.type == "EmailAlreadyExistsError")
    }
  }

  @Test func aProviderThatTheAdministratorRemovesCanNotSignIn() async throws {
    try await withAdmin { _, admin, auth in
      try await admin.call("create_user", Self.ada)
      _ = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
      let credential = OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "g-1"}"#)
      try await auth.currentUser?.link(with: credential)
      let removal: JSON = ["uid": "ada", "providers_to_delete": ["google.com"]]
      #expect(try await admin.call("update_user", removal)["providers"] == ["password"])
      try await auth.currentUser?.reload()
      #expect(auth.currentUser?.providerData.map(\.providerID) == [EmailAuthProvider.id])
      #expect(try await auth.signIn(with: credential).additionalUserInfo?.isNewUser == true)
    }
  }

  @Test func theAdministratorSetsAPhoneNumber() async throws {
    try await withAdmin { _, admin, auth in
      let user = try await auth.signInAnonymously().user
      _ = try await admin.call("update_user", ["uid": .string(user.uid), "phone_number": "+15555550100"])
      try await user.reload()
      #expect(user.phoneNumber == "+15555550100")
      let taken = await failure { try await admin.call("create_user", ["phone_number": "+15555550100"]) }
      #expect(taken != nil)
    }
  }
}
