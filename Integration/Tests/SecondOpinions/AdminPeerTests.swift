import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonTestSupport
import TenonTransport
import Testing

/// TenonAdmin beside Google's firebase-admin: what one of them creates, the other one reads.
@Suite(.limited, .deep, .secondOpinions, .patient)
struct AdminPeerTests {
  private func withAdmins(_ body: (Admin, Peer, Auth) async throws -> Void) async throws {
    try await withPeer(.admin) { server, python in
      try await server.withApp { app in
        try await body(try Admin.admin(app: app), python, try Auth.auth(app: app))
      }
    }
  }

  @Test func usersCreatedBySwiftAreReadByPython() async throws {
    try await withAdmins { admin, python, _ in
      try await admin.createUser(
        UserRequest(
          uid: "ada", email: "Ada@example.com", isEmailVerified: true, password: "lovelace",
          displayName: "Ada",
          photoURL: URL(string: "https://example.com/ada.png")))
      try await admin.setCustomUserClaims(["role": "editor"], forUID: "ada")
      try await admin.updateUser(
        withUID: "ada",
        UserUpdate(clearing: [.photoURL], providerToLink: UserProvider(providerID: "google.com", uid: "g1")))
      let user = try await python.call("get_user", ["uid": "ada"])
      #expect(user["email"] == "ada@example.com" && user["emailVerified"] == true)
      #expect(
        user["displayName"] == "Ada" && user["photoURL"] == .null && user["claims"] == ["role": "editor"])
      #expect(Set(user["providers"]?.array ?? []) == ["password", "google.com"])
      try await admin.deleteUser(withUID: "ada")
      let gone = await failure { try await python.call("get_user", ["uid": "ada"]) }
      #expect(gone?.type == "UserNotFoundError")
    }
  }

  @Test func usersCreatedByPythonAreReadBySwift() async throws {
    try await withAdmins { admin, python, _ in
      try await python.call(
        "create_user",
        [
          "uid": "eve", "email": "eve@example.com", "display_name": "Eve", "phone_number": "+15555550100",
          "disabled": true,
        ])
      try await python.call("set_claims", ["uid": "eve", "claims": ["level": 3]])
      let user = try await admin.getUser(withPhoneNumber: "+15555550100")
      #expect(user.uid == "eve" && user.email == "eve@example.com" && user.displayName == "Eve")
      #expect(user.isDisabled && user.customClaims["level"] as? Int == 3)
      let created = try await python.call("get_user", ["uid": "eve"])["created"]?.text.flatMap { Double($0) }
      #expect(user.metadata.creationDate?.timeIntervalSince1970 == created.map { $0 / 1_000 })
    }
  }

  @Test func providersConfiguredByEachAreReadByTheOther() async throws {
    try await withAdmins { admin, python, _ in
      let acme = SAMLAuthProviderConfig(
        providerID: "saml.acme", displayName: "Acme", isEnabled: true, idpEntityID: "idp",
        ssoURL: "https://acme.example.com/sso", x509Certificates: [ProviderExamples.certificate],
        rpEntityID: "rp", callbackURL: "https://app.example.com/callback")
      try await admin.createProviderConfig(.saml(acme))
      let found = try await python.call("get_saml", ["id": "saml.acme"])
      #expect(found["sso"] == "https://acme.example.com/sso" && found["enabled"] == true)
      #expect(found["certificates"] == [.string(ProviderExamples.certificate)] && found["rp"] == "rp")
      try await python.call("create_oidc", ["id": "oidc.acme", "issuer": "https://acme.example.com"])
      let read = try await admin.getProviderConfig(withID: "oidc.acme")
      #expect(
        read
          == .oidc(
            OIDCAuthProviderConfig(
              providerID: "oidc.acme", clientID: "client", issuer: "https://acme.example.com")))
    }
  }

  @Test func sessionCookiesOfEachAreVerifiedByTheOther() async throws {
    try await withAdmins { admin, python, auth in
      let user = try await auth.createUser(withEmail: "eve@example.com", password: "secret!").user
      let token = try await user.getIDToken()
      let swift = try await admin.createSessionCookie(withIDToken: token, expiresIn: .seconds(3_600))
      let claims = try await python.call("verify_cookie", ["cookie": .string(swift)])
      #expect(claims["uid"] == .string(user.uid) && claims["email"] == "eve@example.com")
      let other = try await python.call("session_cookie", ["token": .string(token), "seconds": 3_600]).string
      #expect(try await admin.verifySessionCookie(try #require(other), checkRevoked: true).uid == user.uid)
      try await admin.revokeRefreshTokens(forUID: user.uid)
      try await admin.updateUser(withUID: user.uid, UserUpdate(isDisabled: true))
      let refused = await failure { try await python.call("verify_cookie", ["cookie": .string(swift)]) }
      #expect(refused?.type == "UserDisabledError")
    }
  }

  @Test func theSignatureOfACustomTokenIsVerifiedByPython() async throws {
    try await withAdmins { _, python, _ in
      let app = try App.configure(
        name: "production-\(UUID())",
        options: AppOptions(projectID: ServedBackend.project, apiKey: "unused", data: .memory))
      let admin = try Admin.admin(app: app)
      let file = try await python.call("service_account").string
      admin.credential = .serviceAccount(try ServiceAccount(json: Data(try #require(file).utf8)))
      let token = try await admin.createCustomToken(withUID: "ada", claims: ["role": "editor"])
      let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
      let verified = try await python.call(
        "signed_claims", ["token": .string(token), "audience": .string(audience)])
      #expect(verified["claims"]?["uid"] == "ada" && verified["claims"]?["claims"] == ["role": "editor"])
      #expect(verified["claims"]?["iss"] == "admin@demo.iam.gserviceaccount.com")
      #expect(verified["header"] == ["alg": "RS256", "kid": "key-1", "typ": "JWT"])
      let changed = token.dropLast(8) + "AAAAAAAA"
      let refused = await failure {
        try await python.call(
          "signed_claims", ["token": .string(String(changed)), "audience": .string(audience)])
      }
      #expect(refused?.type == "InvalidSignatureError")
      await app.delete()
    }
  }
}
