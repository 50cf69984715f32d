import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// What an app that prints mails receives.
@Suite(.limited) struct CodeRecipientTests {
  /// The codes that were passed on.
  private final class Received: Sendable {
    private let codes = Lock<[AccountCode]>([])
    var all: [AccountCode] { codes.withLock { $0 } }
    func append(_ code: AccountCode) { codes.withLock { $0.append(code) } }
  }

  private func backend() async throws -> (Backend, codes: Received, idToken: JSON) {
    let backend = Backend()
    backend.embedded.settings.fastPasswordHashing = true
    let codes = Received()
    backend.embedded.onAccountCode { codes.append($0) }
    let user = try await backend.call(
      "accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    return (backend, codes, try #require(user.json["idToken"]))
  }

  @Test func eachCodeIsPassedOnWhenItIsStored() async throws {
    let (backend, codes, idToken) = try await backend()
    for body in [
      ["requestType": "PASSWORD_RESET", "email": "ada@example.com"],
      ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"],
      ["requestType": "VERIFY_EMAIL", "idToken": idToken],
    ] as [JSON] {
      #expect(try await backend.call("accounts:sendOobCode", body).status == 200)
    }
    let update: JSON = ["idToken": idToken, "email": "countess@example.com"]
    #expect(try await backend.call("accounts:update", update).status == 200)
    let received = codes.all
    #expect(received.map(\.kind) == [.passwordReset, .emailSignIn, .verifyEmail, .recoverEmail])
    let stored = try await backend.embedded.accountCodes()
    #expect(received == stored)
  }

  @Test func aLinkInsteadOfAMailIsNotPassedOn() async throws {
    let (backend, codes, _) = try await backend()
    let answer = try await backend.administrate(
      "accounts:sendOobCode",
      ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true])
    #expect(answer.json["oobLink"] != nil && codes.all.isEmpty)
  }

  @Test func anAddressWithoutAnAccountReceivesNothing() async throws {
    let (backend, codes, _) = try await backend()
    backend.embedded.settings.emailPrivacy = true
    let body: JSON = ["requestType": "PASSWORD_RESET", "email": "eve@example.com"]
    #expect(try await backend.call("accounts:sendOobCode", body).status == 200)
    #expect(codes.all.isEmpty)
    backend.embedded.onAccountCode(nil)
    _ = try await backend.call(
      "accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
    #expect(codes.all.isEmpty)
  }
}
