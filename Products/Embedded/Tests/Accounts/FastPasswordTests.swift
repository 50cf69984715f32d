import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

#if os(Linux)
  /// The setting that lowers the work of hashing for tests.
  @Suite(.limited) struct FastPasswordTests {
    private func signUp(_ backend: Backend, at origin: String, email: String) async throws -> (
      status: Int, json: JSON
    ) {
      try await backend.post(
        "\(origin)identitytoolkit.googleapis.com/v1/accounts:signUp?key=any",
        body: (["email": .string(email), "password": "lovelace"] as JSON).serialized)
    }

    @Test func itIsOffByDefault() {
      #expect(!EmbeddedSettings().fastPasswordHashing)
    }

    @Test func hashesOfBothKindsAreVerified() async throws {
      let backend = Backend()
      for isFast in [false, true] {
        backend.embedded.settings.fastPasswordHashing = isFast
        let email = "ada-\(isFast)@example.com"
        #expect(try await signUp(backend, at: "https://", email: email).status == 200)
        let account = try await backend.embedded.accounts.database.account(email: email)
        // The parameters follow the name of the function: N is 2^10, and 2^12 by default.
        let parameters = try #require(account?.passwordHash?.split(separator: "$").dropFirst().first)
        #expect(parameters == (isFast ? "j75" : "j9T"))
      }
      for email in ["ada-false@example.com", "ada-true@example.com"] {
        let body: JSON = ["email": .string(email), "password": "lovelace"]
        #expect(try await backend.call("accounts:signInWithPassword", body).status == 200)
        let wrong: JSON = ["email": .string(email), "password": "analytical"]
        #expect(try await backend.call("accounts:signInWithPassword", wrong).status == 400)
      }
    }

    @Test(arguments: ["http://127.0.0.1:9099/", "http://localhost:9099/", "http://[::1]:9099/", "https://"])
    func itIsAcceptedOnThisMachine(origin: String) async throws {
      let backend = Backend()
      backend.embedded.settings.fastPasswordHashing = true
      #expect(try await signUp(backend, at: origin, email: "ada@example.com").status == 200)
    }

    @Test(arguments: ["http://192.0.2.1:9099/", "http://auth.example:9099/", "http://127.example:9099/"])
    func itIsRefusedOnAServerThatIsNotLoopback(origin: String) async throws {
      let backend = Backend()
      #expect(try await signUp(backend, at: origin, email: "ada@example.com").status == 200)
      backend.embedded.settings.fastPasswordHashing = true
      let answer = try await signUp(backend, at: origin, email: "eve@example.com")
      #expect(answer.status == 400 && answer.json.errorMessage?.contains("fastPasswordHashing") == true)
    }
  }
#endif
