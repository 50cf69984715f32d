import Foundation
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import TenonTransport
import Testing

/// The users whom TenonAdmin manages are those who sign in with Auth, on the embedded backend.
@Suite(.limited) struct AdminUserTests {
  private func withApp(_ body: (App, Admin, Auth) async throws -> Void) async throws {
    let app = try App.configure(
      name: "admin-users-\(UUID())",
      options: AppOptions(projectID: "demo-admin", backend: .embedded(directory: nil), data: .memory))
    do {
      let embedded = try Embedded.embedded(app: app)
      embedded.settings.fastPasswordHashing = true
      try await body(app, try Admin.admin(app: app), try Auth.auth(app: app))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  private func code(_ call: () async throws -> Void) async -> AdminError.Code? {
    await #expect(throws: AdminError.self) { try await call() }?.code
  }

  private static let ada = UserRequest(
    uid: "ada", email: "Ada@example.com", isEmailVerified: true, password: "lovelace", displayName: "Ada",
    photoURL: URL(string: "https://example.com/ada.png"), phoneNumber: "+15550100")

  @Test func aCreatedUserSignsIn() async throws {
    try await withApp { _, admin, auth in
      let created = try await admin.createUser(Self.ada)
      #expect(created.uid == "ada" && created.email == "ada@example.com" && created.isEmailVerified)
      #expect(created.metadata.creationDate != nil && created.metadata.lastSignInDate == nil)
      #expect(created.providerData.map(\.providerID).sorted() == ["password", "phone"])
      #expect(created.passwordHash == nil && created.customClaims.isEmpty)
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
      #expect(user.uid == "ada" && user.displayName == "Ada" && user.phoneNumber == "+15550100")
      #expect(try await admin.getUser(withUID: "ada").metadata.lastSignInDate != nil)
      #expect(await code { try await admin.createUser(Self.ada) } == .uidAlreadyExists)
      #expect(
        await code { try await admin.createUser(UserRequest(email: "ADA@example.com")) }
          == .emailAlreadyExists)
      #expect(
        await code { try await admin.createUser(UserRequest(phoneNumber: "+15550100")) }
          == .phoneNumberAlreadyExists)
    }
  }

  @Test func aUserIsFoundByEachIdentifier() async throws {
    try await withApp { _, admin, auth in
      try await admin.createUser(Self.ada)
      try await admin.updateUser(
        withUID: "ada", UserUpdate(providerToLink: UserProvider(providerID: "google.com", uid: "g1")))
      #expect(try await admin.getUser(withEmail: "ADA@example.com").uid == "ada")
      #expect(try await admin.getUser(withPhoneNumber: "+15550100").uid == "ada")
      #expect(try await admin.getUser(withProviderID: "google.com", uid: "g1").uid == "ada")
      let guest = try await auth.signInAnonymously().user.uid
      let result = try await admin.getUsers([
        .email("ADA@example.com"), .uid(guest), .uid("nobody"), .provider("google.com", uid: "g2"),
      ])
      #expect(Set(result.users.map(\.uid)) == ["ada", guest])
      #expect(result.notFound == [.uid("nobody"), .provider("google.com", uid: "g2")])
      #expect(await code { _ = try await admin.getUser(withUID: "nobody") } == .userNotFound)
      #expect(await code { _ = try await admin.getUser(withEmail: "eve@example.com") } == .userNotFound)
    }
  }

  @Test func anUpdateChangesWhatItNames() async throws {
    try await withApp { _, admin, auth in
      try await admin.createUser(Self.ada)
      let other = UserProvider(providerID: "google.com", uid: "g1", email: "ada@gmail.com", displayName: "A.")
      try await admin.createUser(UserRequest(uid: "eve", email: "eve@example.com"))
      let changed = try await admin.updateUser(
        withUID: "ada",
        UserUpdate(
          email: "countess@example.com", password: "analytical",
          clearing: [.displayName, .photoURL, .phoneNumber],
          providerToLink: other))
      #expect(changed.email == "countess@example.com" && !changed.isEmailVerified)
      #expect(changed.displayName == nil && changed.photoURL == nil && changed.phoneNumber == nil)
      #expect(changed.providerData.map(\.providerID).sorted() == ["google.com", "password"])
      #expect(
        try await auth.signIn(withEmail: "countess@example.com", password: "analytical").user.uid == "ada")
      let unlinked = try await admin.updateUser(
        withUID: "ada", UserUpdate(phoneNumber: "+15550101", providersToUnlink: ["google.com"]))
      #expect(unlinked.phoneNumber == "+15550101")
      #expect(unlinked.providerData.map(\.providerID).sorted() == ["password", "phone"])
      #expect(try await admin.updateUser(withUID: "ada", UserUpdate(isDisabled: true)).isDisabled)
      await #expect(throws: AuthError.self) {
        try await auth.signIn(withEmail: "countess@example.com", password: "analytical")
      }
      for (update, expected) in [
        (UserUpdate(email: "eve@example.com"), AdminError.Code.emailAlreadyExists),
        (UserUpdate(displayName: "Nobody"), .userNotFound),
      ] {
        let uid = expected == .userNotFound ? "nobody" : "ada"
        #expect(await code { try await admin.updateUser(withUID: uid, update) } == expected)
      }
      try await admin.updateUser(withUID: "ada", UserUpdate(providerToLink: other))
      #expect(
        await code { try await admin.updateUser(withUID: "eve", UserUpdate(providerToLink: other)) }
          == .credentialAlreadyInUse)
      #expect(
        await code { try await admin.updateUser(withUID: "eve", UserUpdate(phoneNumber: "+15550101")) }
          == .phoneNumberAlreadyExists)
    }
  }

  @Test func claimsAreInTheNextToken() async throws {
    struct Claims: Codable, Equatable {
      var role: String
      var level: Int
    }
    try await withApp { _, admin, auth in
      try await admin.createUser(Self.ada)
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
      try await admin.setCustomUserClaims(Claims(role: "editor", level: 3), forUID: "ada")
      #expect(
        try await admin.getUser(withUID: "ada").customClaims(as: Claims.self)
          == Claims(role: "editor", level: 3))
      let token = try await user.getIDToken(forcingRefresh: true)
      #expect(
        try await admin.verifyIDToken(token).claims(as: Claims.self) == Claims(role: "editor", level: 3))
      try await admin.setCustomUserClaims([String: String](), forUID: "ada")
      #expect(try await admin.getUser(withUID: "ada").customClaims.isEmpty)
      #expect(await code { try await admin.setCustomUserClaims(["a": 1], forUID: "nobody") } == .userNotFound)
    }
  }

  @Test func aRevokedUserSignsInAgain() async throws {
    try await withApp { _, admin, auth in
      try await admin.createUser(Self.ada)
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user
      let cookie = try await admin.createSessionCookie(
        withIDToken: try await user.getIDToken(), expiresIn: .seconds(14 * 86_400))
      #expect(try await admin.verifySessionCookie(cookie, checkRevoked: true).uid == "ada")
      try await admin.revokeRefreshTokens(forUID: "ada")
      await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
      try await admin.updateUser(withUID: "ada", UserUpdate(isDisabled: true))
      #expect(
        await code { _ = try await admin.verifySessionCookie(cookie, checkRevoked: true) } == .userDisabled)
      #expect(
        await code { _ = try await admin.createSessionCookie(withIDToken: "x.y.z", expiresIn: .seconds(300)) }
          == .invalidIDToken)
    }
  }

  @Test func linksActForTheirUsers() async throws {
    try await withApp { _, admin, auth in
      try await admin.createUser(UserRequest(uid: "ada", email: "ada@example.com", password: "lovelace"))
      let settings = Admin.ActionCodeSettings(
        url: try #require(URL(string: "https://example.com/finish")), handleCodeInApp: true)
      let reset = try await admin.generatePasswordResetLink(
        withEmail: "ada@example.com", actionCodeSettings: settings)
      let code = try #require(ActionCodeURL(link: reset.absoluteString))
      #expect(code.operation == .passwordReset && code.continueURL == settings.url)
      try await auth.confirmPasswordReset(withCode: code.code, newPassword: "analytical")
      #expect(try await auth.signIn(withEmail: "ada@example.com", password: "analytical").user.uid == "ada")
      let verification = try await admin.generateEmailVerificationLink(withEmail: "ada@example.com")
      try await auth.applyActionCode(try #require(ActionCodeURL(link: verification.absoluteString)).code)
      #expect(try await admin.getUser(withUID: "ada").isEmailVerified)
      let change = try await admin.generateVerifyAndChangeEmailLink(
        withEmail: "ada@example.com", newEmail: "countess@example.com")
      try await auth.applyActionCode(try #require(ActionCodeURL(link: change.absoluteString)).code)
      #expect(try await admin.getUser(withUID: "ada").email == "countess@example.com")
      let signIn = try await admin.generateSignInWithEmailLink(
        withEmail: "countess@example.com", actionCodeSettings: settings)
      #expect(
        try await auth.signIn(withEmail: "countess@example.com", link: signIn.absoluteString).user.uid
          == "ada")
      for link in [
        { try await admin.generatePasswordResetLink(withEmail: "eve@example.com") },
        { try await admin.generateEmailVerificationLink(withEmail: "eve@example.com") },
      ] {
        let error = await self.code { _ = try await link() }
        #expect(error == .emailNotFound || error == .userNotFound)
      }
    }
  }

  @Test func usersAreListedAndDeleted() async throws {
    try await withApp { _, admin, _ in
      var all: [String] = []
      for number in 0..<7 { all.append(try await admin.createUser(UserRequest(uid: "user-\(number)")).uid) }
      var listed: [String] = []
      for try await user in admin.listUsers(maxResults: 3) { listed.append(user.uid) }
      #expect(listed.sorted() == all)
      var pages: [Int] = []
      for try await page in admin.listUsers(maxResults: 3).pages { pages.append(page.users.count) }
      #expect(pages == [3, 3, 1])
      try await admin.deleteUser(withUID: "user-0")
      #expect(await code { try await admin.deleteUser(withUID: "user-0") } == .userNotFound)
      let result = try await admin.deleteUsers(withUIDs: ["user-0", "user-1", "user-2"])
      #expect(result.successCount == 3 && result.errors.isEmpty)
      listed = []
      for try await user in admin.listUsers() { listed.append(user.uid) }
      #expect(listed.sorted() == Array(all[3...]))
    }
  }

  @Test func importedUsersSignIn() async throws {
    try await withApp { _, admin, auth in
      var ada = UserImportRecord(
        uid: "ada", email: "ada@example.com", isEmailVerified: true, displayName: "Ada",
        phoneNumber: "+15550100", creationDate: Date(timeIntervalSince1970: 1_600_000_000),
        providerData: [UserProvider(providerID: "google.com", uid: "g1")])
      try ada.setCustomClaims(["role": "editor"])
      let hashed = UserImportRecord(uid: "eve", email: "eve@example.com", passwordHash: Data([1, 2, 3]))
      let taken = UserImportRecord(uid: "bob", email: "ada@example.com")
      let result = try await admin.importUsers([ada, hashed, taken], hash: .bcrypt)
      #expect(result.successCount == 1 && result.failureCount == 2)
      #expect(result.errors.map(\.index) == [1, 2])
      #expect(result.errors.last?.message == "email exists in other account in database")
      let found = try await admin.getUser(withUID: "ada")
      #expect(found.metadata.creationDate == Date(timeIntervalSince1970: 1_600_000_000))
      #expect(found.customClaims["role"] as? String == "editor" && found.phoneNumber == "+15550100")
      let google = OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "g1"}"#)
      #expect(try await auth.signIn(with: google).user.uid == "ada")
    }
  }

  @Test func usersImportedWithHashesOfOtherSystemsSignIn() async throws {
    try await withApp { _, admin, auth in
      let (salt, key) = (Data("NaCl".utf8), Data("secret".utf8))
      // SHA-256 and HMAC of `lovelace` with the salt, as Python computes them.
      let hashes: [(UserImportHash, String)] = [
        (.sha256(rounds: 1), "waJVbC9xgQ094+Y4zlyFE7EwMmbt2CU2MIf8Z6fTo20="),
        (.hmacSHA256(key: key), "3OOtyWAzdmlxbuem6VFnpuajTwaPXhzbpG7oiR0YT1o="),
      ]
      for (number, (function, hash)) in hashes.enumerated() {
        let (uid, email) = ("user-\(number)", "user-\(number)@example.com")
        let user = UserImportRecord(
          uid: uid, email: email, passwordHash: Data(base64Encoded: hash), passwordSalt: salt)
        let result = try await admin.importUsers([user], hash: function)
        let signedIn = try await auth.signIn(withEmail: email, password: "lovelace").user
        #expect(result.successCount == 1 && signedIn.uid == uid)
      }
      let large = UserImportHash.standardScrypt(
        memoryCost: 1 << 30, parallelization: 1, blockSize: 8, derivedKeyLength: 64)
      let user = UserImportRecord(uid: "eve", passwordHash: Data(count: 64))
      #expect(await code { try await admin.importUsers([user], hash: large) } == .invalidHashAlgorithm)
    }
  }

  /// On the served backend, over the network, as servers of Firebase use the emulator.
  @Test func usersOfTheServedBackendAreManaged() async throws {
    try await withServedBackend(arguments: ["--fast-passwords"]) { server in
      try await server.withApp { app in
        let (admin, auth) = (try Admin.admin(app: app), try Auth.auth(app: app))
        try await admin.createUser(Self.ada)
        #expect(try await auth.signIn(withEmail: "ada@example.com", password: "lovelace").user.uid == "ada")
        var users: [String] = []
        for try await user in admin.listUsers(maxResults: 1) { users.append(user.uid) }
        #expect(users == ["ada"])
        let link = try await admin.generatePasswordResetLink(withEmail: "ada@example.com")
        #expect(link.absoluteString.hasPrefix("http://"))
        try await admin.deleteUser(withUID: "ada")
        #expect(await code { _ = try await admin.getUser(withUID: "ada") } == .userNotFound)
      }
    }
  }
}
