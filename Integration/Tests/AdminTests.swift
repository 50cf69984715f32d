import Foundation
import TenonAdmin
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// A server with TenonAdmin admits the users of Auth, on the embedded backend in the process and on the served
/// one.
@Suite(.limited(of: .processes)) struct AdminTests {
  private static let appID = "1:42:web:a1"

  private func withEmbeddedApp(_ body: (App) async throws -> Void) async throws {
    let app = try App.configure(
      name: "admin-\(UUID())",
      options: AppOptions(
        projectID: "demo-admin", appID: Self.appID, backend: .embedded(directory: nil), data: .memory))
    do { try await body(app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func aSignedInUserIsAdmitted() async throws {
    try await withEmbeddedApp { app in
      let user = try await Auth.auth(app: app).createUser(withEmail: "ada@example.com", password: "lovelace")
        .user
      let admin = try Admin.admin(app: app)
      let admitted = try await admin.verifyIDToken(try await user.getIDToken(), checkRevoked: true)
      #expect(admitted.uid == user.uid && admitted.email == "ada@example.com")
      #expect(admitted.signInProvider == "password" && admitted.tenantID == nil)
    }
  }

  @Test func anAppWithTheTokenOfAppCheckIsAdmitted() async throws {
    try await withEmbeddedApp { app in
      let token = try await AppCheck.appCheck(app: app).token().token
      let admin = try Admin.admin(app: app)
      let verified = try await admin.verifyAppCheckToken(token)
      #expect(verified.appID == Self.appID && verified.alreadyConsumed == nil)
      for isRepeated in [false, true] {
        #expect(try await admin.verifyAppCheckToken(token, consume: true).alreadyConsumed == isRepeated)
      }
      var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let header = #"{"alg":"none","typ":"JWT"}"#
      parts[0] = Data(header.utf8).base64EncodedString().filter { $0 != "=" }
      parts[2] = ""
      for (forged, claim) in [(parts.joined(separator: "."), "alg"), (String(token.dropLast(8)), nil)] {
        let error = await #expect(throws: AdminError.self) { try await admin.verifyAppCheckToken(forged) }
        #expect(error?.code == .invalidAppCheckToken && error?.claim == claim)
      }
    }
  }

  @Test func aCustomTokenOfAdminSignsIn() async throws {
    try await withEmbeddedApp { app in
      let admin = try Admin.admin(app: app)
      let token = try await admin.createCustomToken(withUID: "ada", claims: ["role": "editor"])
      let user = try await Auth.auth(app: app).signIn(withCustomToken: token).user
      let admitted = try await admin.verifyIDToken(try await user.getIDToken())
      #expect(admitted.uid == "ada" && admitted.claims["role"] as? String == "editor")
    }
  }

  @Test func aDisabledUserIsRefusedOnRequest() async throws {
    try await withServedBackend(arguments: ["--fast-passwords"]) { server in
      try await server.withApp { app in
        let user = try await Auth.auth(app: app).signInAnonymously().user
        let (admin, token) = (try Admin.admin(app: app), try await user.getIDToken())
        #expect(try await admin.verifyIDToken(token, checkRevoked: true).uid == user.uid)
        let change = try await server.send(
          .post, "/identitytoolkit.googleapis.com/v1/projects/\(ServedBackend.project)/accounts:update",
          ["localId": .string(user.uid), "disableUser": true], headers: ["Authorization": "Bearer owner"])
        #expect(change.status == 200)
        let error = await #expect(throws: AdminError.self) {
          try await admin.verifyIDToken(token, checkRevoked: true)
        }
        #expect(error?.code == .userDisabled)
        #expect(try await admin.verifyIDToken(token).uid == user.uid)
        let none = try await server.send(
          .post, "/identitytoolkit.googleapis.com/v1/projects/\(ServedBackend.project)/accounts:delete",
          ["localId": .string(user.uid)], headers: ["Authorization": "Bearer owner"])
        #expect(none.status == 200)
        let absent = await #expect(throws: AdminError.self) {
          try await admin.verifyIDToken(token, checkRevoked: true)
        }
        #expect(absent?.code == .userNotFound)
      }
    }
  }
}
