import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonRules
import TenonStore
import TenonTestSupport
import Testing

/// Tenants, from a server that manages them to clients that sign in to them, on the embedded backend.
@Suite(.limited) struct TenantTests {
  /// An app with a server's and a client's side.
  private struct Fixture {
    let app: App
    let admin: Admin
    let auth: Auth
    let embedded: Embedded

    /// Creates a tenant with everything enabled.
    func created() async throws -> String {
      try await admin.tenantManager.createTenant(
        TenantRequest(
          displayName: "Acme", allowsPasswordSignUp: true, isEmailLinkSignInEnabled: true,
          isAnonymousSignInEnabled: true, secondFactors: [.phone, .totp])
      ).tenantID
    }

    /// Signs a user up in a tenant.
    func signedUp(_ tenantID: String?) async throws -> User {
      auth.tenantID = tenantID
      return try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
    }
  }

  private func withFixture(_ body: (Fixture) async throws -> Void) async throws {
    let app = try App.configure(
      name: "tenants-\(UUID())",
      options: AppOptions(projectID: "demo-tenants", backend: .embedded(directory: nil), data: .memory))
    do {
      let embedded = try Embedded.embedded(app: app)
      embedded.settings.fastPasswordHashing = true
      try await body(
        Fixture(
          app: app, admin: try Admin.admin(app: app), auth: try Auth.auth(app: app), embedded: embedded))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func code(_ call: () async throws -> Void) async -> AdminError.Code? {
    await #expect(throws: AdminError.self) { try await call() }?.code
  }

  @Test func aServerManagesTenants() async throws {
    try await withFixture { fixture in
      let tenants = fixture.admin.tenantManager
      let plain = try await tenants.createTenant()
      #expect(plain.displayName == nil && !plain.allowsPasswordSignUp && plain.secondFactors == [])
      let id = try await fixture.created()
      let acme = try await tenants.getTenant(withID: id)
      #expect(acme.displayName == "Acme" && acme.isAnonymousSignInEnabled && !acme.isAuthDisabled)
      #expect(acme.secondFactors == [.phone, .totp] && acme.testPhoneNumbers == [:])
      let changed = try await tenants.updateTenant(
        withID: id,
        TenantRequest(
          isAnonymousSignInEnabled: false, secondFactors: [.totp],
          testPhoneNumbers: ["+15555550100": "654321"]))
      #expect(changed.displayName == "Acme" && !changed.isAnonymousSignInEnabled)
      #expect(changed.secondFactors == [.totp] && changed.testPhoneNumbers == ["+15555550100": "654321"])
      #expect(try await tenants.updateTenant(withID: id, TenantRequest()) == changed)
      var listed: Set<String> = []
      for try await tenant in tenants.listTenants(maxResults: 1) { listed.insert(tenant.tenantID) }
      #expect(listed == [plain.tenantID, id])
      try await tenants.deleteTenant(withID: id)
      #expect(await code { _ = try await tenants.getTenant(withID: id) } == .tenantNotFound)
      #expect(await code { try await tenants.deleteTenant(withID: id) } == .tenantNotFound)
      #expect(await code { _ = try await tenants.getTenant(withID: "") } == .invalidTenantID)
      #expect(await code { _ = try await tenants.getTenant(withID: "a/../b?c#d") } == .tenantNotFound)
      #expect(
        await code { _ = try tenants.auth(forTenant: String(repeating: "t", count: 129)) } == .invalidTenantID
      )
    }
  }

  @Test func theSameAddressIsAnotherUserInEachTenant() async throws {
    try await withFixture { fixture in
      let (acme, other) = (try await fixture.created(), try await fixture.created())
      var users: [User] = []
      for tenant in [acme, other, nil] {
        let user = try await fixture.signedUp(tenant)
        #expect(user.tenantID == tenant)
        #expect(try await user.getIDTokenResult().claims["sub"] as? String == user.uid)
        users.append(user)
      }
      #expect(Set(users.map(\.uid)).count == 3)
      for (tenant, user) in zip([acme, other], users) {
        let admin = try fixture.admin.tenantManager.auth(forTenant: tenant)
        let found = try await admin.getUser(withEmail: "ada@example.com")
        #expect(found.uid == user.uid && found.tenantID == tenant)
        #expect(await code { _ = try await admin.getUser(withUID: users[2].uid) } == .userNotFound)
        var listed: [String] = []
        for try await user in admin.listUsers() { listed.append(user.uid) }
        #expect(listed == [user.uid])
      }
      #expect(try await fixture.admin.getUser(withEmail: "ada@example.com").tenantID == nil)
    }
  }

  @Test func aServerAdmitsTheUsersOfItsTenantOnly() async throws {
    try await withFixture { fixture in
      let (acme, other) = (try await fixture.created(), try await fixture.created())
      let admin = try fixture.admin.tenantManager.auth(forTenant: acme)
      let user = try await fixture.signedUp(acme)
      let token = try await user.getIDToken()
      #expect(try await admin.verifyIDToken(token, checkRevoked: true).tenantID == acme)
      #expect(try await fixture.admin.verifyIDToken(token, checkRevoked: true).tenantID == acme)
      let stranger = try fixture.admin.tenantManager.auth(forTenant: other)
      let error = await #expect(throws: AdminError.self) { try await stranger.verifyIDToken(token) }
      #expect(error?.code == .mismatchingTenantID && error?.claim == "firebase.tenant")
      let cookie = try await admin.createSessionCookie(withIDToken: token, expiresIn: .seconds(3_600))
      #expect(try await admin.verifySessionCookie(cookie).tenantID == acme)
      #expect(await code { _ = try await stranger.verifySessionCookie(cookie) } == .mismatchingTenantID)
      let own = try await fixture.signedUp(nil).getIDToken()
      #expect(await code { _ = try await admin.verifyIDToken(own) } == .mismatchingTenantID)
      // Custom tokens name their tenant.
      let custom = try await admin.createCustomToken(withUID: "bob")
      for tenant in [other, nil] {
        fixture.auth.tenantID = tenant
        let error = await #expect(throws: AuthError.self) {
          try await fixture.auth.signIn(withCustomToken: custom)
        }
        #expect(error?.code == .tenantIDMismatch)
      }
      fixture.auth.tenantID = acme
      #expect(try await fixture.auth.signIn(withCustomToken: custom).user.tenantID == acme)
    }
  }

  @Test func usersOfADeletedOrDisabledTenantAreSignedOutOrRefused() async throws {
    try await withFixture { fixture in
      let tenants = fixture.admin.tenantManager
      let id = try await fixture.created()
      let user = try await fixture.signedUp(id)
      try await tenants.updateTenant(withID: id, TenantRequest(isAuthDisabled: true))
      let disabled = await #expect(throws: AuthError.self) { try await user.reload() }
      #expect(disabled?.code == .projectDisabled && fixture.auth.currentUser == user)
      try await tenants.updateTenant(withID: id, TenantRequest(isAuthDisabled: false))
      try await user.reload()
      try await tenants.deleteTenant(withID: id)
      let deleted = await #expect(throws: AuthError.self) { try await user.reload() }
      #expect(deleted?.code == .userNotFound && fixture.auth.currentUser == nil)
      let unknown = await #expect(throws: AuthError.self) { try await fixture.signedUp(id) }
      #expect(unknown?.code == .invalidTenantID)
    }
  }

  @Test func aUserOfATenantKeepsItThroughAllChanges() async throws {
    try await withFixture { fixture in
      let id = try await fixture.created()
      fixture.auth.tenantID = id
      let user = try await fixture.auth.signInAnonymously().user
      try await user.link(
        with: EmailAuthProvider.credential(withEmail: "bob@example.com", password: "lovelace"))
      fixture.auth.tenantID = nil
      try await user.updatePassword(to: "new-password")
      let password = EmailAuthProvider.credential(withEmail: "bob@example.com", password: "new-password")
      try await user.reauthenticate(with: password)
      #expect(user.tenantID == id && fixture.auth.currentUser == user)
      #expect(
        try await fixture.admin.verifyIDToken(try await user.getIDToken(forcingRefresh: true)).tenantID == id)
      // A second factor is enrolled and proved in the tenant of the sign-in.
      let admin = try fixture.admin.tenantManager.auth(forTenant: id)
      try await admin.updateUser(withUID: user.uid, UserUpdate(isEmailVerified: true))
      let secret = try await TOTPMultiFactorGenerator.generateSecret(
        with: try await user.multiFactor.session())
      let code = try #require(
        fixture.embedded.oneTimePassword(forSharedSecretKey: secret.sharedSecretKey()))
      try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code))
      #expect(user.multiFactor.enrolledFactors.count == 1 && user.tenantID == id)
      fixture.auth.tenantID = id
      let error = await #expect(throws: AuthError.self) {
        try await fixture.auth.signIn(with: password)
      }
      fixture.auth.tenantID = nil
      let resolver = try #require(error?.multiFactorResolver)
      let wrong = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: try #require(resolver.hints.first).uid, oneTimePassword: "000000x")
      let refused = await #expect(throws: AuthError.self) { try await resolver.resolveSignIn(with: wrong) }
      #expect(refused?.code == .invalidVerificationCode)
      try await user.delete()
      #expect(await self.code { _ = try await admin.getUser(withUID: user.uid) } == .userNotFound)
    }
  }

  /// `request.auth.token.firebase.tenant` of Security Rules.
  @Test func rulesSeeTheTenant() async throws {
    try await withFixture { fixture in
      let id = try await fixture.created()
      fixture.embedded.documentSecurityRules = try SecurityRules(
        source: """
          rules_version = '2';
          service cloud.firestore {
            match /databases/{database}/documents/tenants/{tenant}/{path=**} {
              allow read, write: if request.auth.token.firebase.tenant == tenant;
            }
          }
          """)
      let store = try Store.store(app: fixture.app)
      let document = store.document("tenants/\(id)/notes/n1")
      for (tenant, isAllowed) in [(id, true), (nil, false)] {
        _ = try await fixture.signedUp(tenant)
        let snapshot = try? await document.getDocument(source: .server)
        #expect((snapshot != nil) == isAllowed)
      }
    }
  }
}
