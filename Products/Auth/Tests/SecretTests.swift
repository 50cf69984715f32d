import Foundation
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// P6: credentials don't appear in errors, logs and descriptions.
@Suite(.limited) struct SecretTests {
  /// An app whose server quotes requests when `quotes` is set.
  private final class Fixture: Sendable {
    let quotes = Lock<(status: Int, form: FakeTransport.EchoForm)?>(nil)
    let server = ScriptedServer()
    let log = RecordedLog()

    func launch() throws -> Auth {
      let server = server
      let transport = FakeTransport { request in
        guard let quote = self.quotes.withLock({ $0 }) else { return try await server.send(request) }
        return try await FakeTransport.echo(status: quote.status, form: quote.form).send(request)
      }
      let options = AppOptions(
        projectID: "demo", apiKey: "AIzaS3cretKey", backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")),
        data: .memory)
      let network = TestTime(advancesItself: true)
      return try Auth(
        app: AppContext(name: "tests", options: options, userAgent: ""), appCheck: FakeAppCheck(),
        transport: transport,
        telemetry: Telemetry(source: "tests", logger: log.logger),
        store: MemorySessionStore(), retries: network.source)
    }
  }

  private static let secrets = [
    "AIzaS3cretKey", "s3cretpass", "s3cret-custom", "s3cretcode", "s3cret-id", "s3cret-access",
    "s3cret-nonce",
    "refresh-1", "app-check-", "eyJhbGciOiJub25l",
  ]

  private enum Operation: String, CaseIterable {
    case createUser, signIn, signInWithLink, signInWithCredential, signInWithCustomToken, reload
    case updatePassword, linkPassword, linkProvider, reauthenticate, delete, checkCode, applyCode,
      confirmReset, token

    func run(_ auth: Auth) async throws {
      let credential = OAuthProvider.credential(
        providerID: .google, idToken: "s3cret-id", rawNonce: "s3cret-nonce", accessToken: "s3cret-access")
      let password = AuthCredential.email("ada@example.com", "s3cretpass")
      switch self {
      case .createUser: try await auth.createUser(withEmail: "c@example.com", password: "s3cretpass")
      case .signIn: try await auth.signIn(withEmail: "ada@example.com", password: "s3cretpass")
      case .signInWithLink:
        let link = "https://x.example/?mode=signIn&oobCode=s3cretcode&apiKey=AIzaS3cretKey"
        try await auth.signIn(withEmail: "ada@example.com", link: link)
      case .signInWithCredential: try await auth.signIn(with: credential)
      case .signInWithCustomToken: try await auth.signIn(withCustomToken: "s3cret-custom")
      case .reload: try await auth.user.reload()
      case .updatePassword: try await auth.user.updatePassword(to: "s3cretpass")
      case .linkPassword: try await auth.user.link(with: password)
      case .linkProvider: try await auth.user.link(with: credential)
      case .reauthenticate: try await auth.user.reauthenticate(with: password)
      case .delete: try await auth.user.delete()
      case .checkCode: _ = try await auth.checkActionCode("s3cretcode")
      case .applyCode: try await auth.applyActionCode("s3cretcode")
      case .confirmReset:
        try await auth.confirmPasswordReset(withCode: "s3cretcode", newPassword: "s3cretpass")
      case .token: _ = try await auth.user.getIDToken(forcingRefresh: true)
      }
    }
  }

  @Test(arguments: Operation.allCases, FakeTransport.EchoForm.allCases)
  private func p6ServerThatQuotesTheRequestRevealsNoSecrets(
    operation: Operation, form: FakeTransport.EchoForm
  ) async throws {
    for status in [200, 400, 503] {
      let fixture = Fixture()
      let auth = try fixture.launch()
      _ = try await auth.signInAnonymously()
      fixture.quotes.withLock { $0 = (status, form) }
      let error = await #expect(throws: AuthError.self) { try await operation.run(auth) }
      var texts = disclosedTexts(of: error!) + fixture.log.lines
      for value in [auth, auth.currentUser as Any, auth.signOutReason as Any] {
        texts += disclosedTexts(of: value)
      }
      for text in texts {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
      }
    }
  }

  @Test func p6ResultsOfASignInDoNotShowTokens() async throws {
    let auth = try Fixture().launch()
    let result = try await auth.signIn(with: Self.google)
    Self.expectNoSecret(in: [auth, result, result.user, Self.google, SignedInUser(session: auth.session)])
    if let credential = result.credential { Self.expectNoSecret(in: [credential]) }
    if let info = result.additionalUserInfo { Self.expectNoSecret(in: [info]) }
  }

  @Test func p6TokensOfAUserDoNotShowThemselves() async throws {
    let auth = try Fixture().launch()
    let user = try await auth.signIn(with: Self.google).user
    let token = try await user.getIDTokenResult()
    Self.expectNoSecret(in: token)
    #expect(auth.currentUser == user)
  }

  /// Swift 6.3.1 can't optimize a function that converts a token to `Any` after an `await`.
  @inline(never)
  private static func expectNoSecret(in token: AuthTokenResult) { expectNoSecret(in: [token]) }

  @Test func p6StatesDoNotShowTokens() async throws {
    let auth = try Fixture().launch()
    _ = try await auth.signInAnonymously()
    var states = SignedInUser(session: auth.session).stateChanges.makeAsyncIterator()
    let state = await states.next()
    #expect(state?.token != nil)
    Self.expectNoSecret(in: [state as Any])
  }

  @Test func p6CredentialsAndLinksDoNotShowSecrets() throws {
    let link = try #require(
      ActionCodeURL(link: "https://x.example/?mode=signIn&oobCode=s3cretcode&apiKey=AIzaS3cretKey"))
    let password = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "s3cretpass")
    Self.expectNoSecret(in: [link, password])
  }

  private static let google = GoogleAuthProvider.credential(
    withIDToken: "s3cret-id", accessToken: "s3cret-access")

  /// Checks all texts of some values.
  private static func expectNoSecret(in values: [Any]) {
    for value in values {
      for text in disclosedTexts(of: value) {
        for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
      }
    }
  }
}
