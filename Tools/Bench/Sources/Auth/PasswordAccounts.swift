#if os(Linux)
  import Foundation
  import TenonCore
  import TenonEmbedded
  import TenonFoundation
  import TenonTransportInterop

  /// Sign-ups and sign-ins with passwords through the embedded backend's server.
  final class PasswordAccounts: Sendable {
    private let app: App
    private let embedded: Embedded
    private let number = Lock(0)

    /// Measures both, with the hash for apps and with that for tests.
    static func measure(_ comparison: Comparison) async throws -> [Measurement] {
      let (usual, fast) = (try PasswordAccounts(isFast: false), try PasswordAccounts(isFast: true))
      var measurements: [Measurement] = []
      for (name, operation) in [("sign-up", signUp), ("sign-in", signIn)] {
        measurements.append(
          try await comparison(
            name,
            [(usual, "tenon"), (fast, "fast hash")].map { accounts, contender in
              WaitingContender(name: contender) { count in
                for _ in 0..<count { try await operation(accounts)() }
              }
            }))
      }
      await usual.app.delete()
      await fast.app.delete()
      return measurements
    }

    private init(isFast: Bool) throws {
      app = try App.configure(
        name: isFast ? "fast" : "usual",
        options: AppOptions(projectID: "bench", backend: .embedded(directory: nil)))
      embedded = try Embedded.embedded(app: app)
      embedded.settings.fastPasswordHashing = isFast
    }

    private func signUp() async throws {
      let number = number.withLock { number in
        number += 1
        return number
      }
      try await call("signUp", number)
    }

    /// Signs the first user in, who has signed up before.
    private func signIn() async throws { try await call("signInWithPassword", 1) }

    private func call(_ method: String, _ number: Int) async throws {
      guard let url = URL(string: "https://identitytoolkit.googleapis.com/v1/accounts:\(method)?key=any")
      else {
        throw UnexpectedResult()
      }
      let body = #"{"email":"ada\#(number)@example.com","password":"correct horse","returnSecureToken":true}"#
      let response = try await embedded.send(
        TransportRequest(
          .post, url, headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")]),
          body: .data(Data(body.utf8))))
      guard response.status == 200 else { throw UnexpectedResult() }
    }
  }
#endif
