import Foundation
import TenonAuth
import TenonJSON
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The password policy, from the administrator's change to the client's check.
@Suite(.limited) struct PasswordPolicyClientTests {
  @Test func theClientChecksWhatTheServerRequires() async throws {
    try await withServedBackend(arguments: ["--fast-passwords"]) { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        #expect(try await auth.validatePassword("abcdef").isValid)
        let path = "/identitytoolkit.googleapis.com/v2/projects/\(ServedBackend.project)/config"
        let version: JSON = [
          "customStrengthOptions": ["minPasswordLength": 8, "containsNumericCharacter": true]
        ]
        let policy: JSON = [
          "passwordPolicyEnforcementState": "ENFORCE", "passwordPolicyVersions": [version],
        ]
        let change = try await server.send(
          .patch, path, ["passwordPolicyConfig": policy], headers: ["Authorization": "Bearer owner"])
        #expect(change.status == 200)
        // The client learns of it when the server refuses a password.
        let error = await #expect(throws: AuthError.self) {
          try await auth.createUser(withEmail: "ada@example.com", password: "abcdef")
        }
        #expect(error?.code == .passwordPolicy)
        let status = try await auth.validatePassword("abcdef")
        #expect(!status.isValid && status.meetsMinPasswordLength == false)
        #expect(status.containsNumericCharacter == false && status.containsUppercaseLetter == nil)
        #expect(status.passwordPolicy.enforcementState == "ENFORCE")
        #expect(try await auth.validatePassword("abcdefg1").isValid)
        _ = try await auth.createUser(withEmail: "ada@example.com", password: "abcdefg1")
      }
    }
  }
}
