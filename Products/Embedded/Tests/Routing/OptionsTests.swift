import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct OptionsTests {
  private let backend = Backend()

  /// As with Google's servers, the request needs neither an API key nor an existing method.
  @Test(arguments: [
    "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=any",
    "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
    "https://identitytoolkit.googleapis.com/v1/projects/demo/accounts:lookup",
    "https://identitytoolkit.googleapis.com/v2/projects/demo/config",
    "https://identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start",
    "https://www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword",
    "https://securetoken.googleapis.com/v1/token",
    "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signUp",
    "http://127.0.0.1:9099/emulator/v1/projects/demo/accounts", "http://127.0.0.1:9099/",
    "https://us-central1-demo.cloudfunctions.net/echo",
    "https://firebasestorage.googleapis.com/v0/b/bucket/o/a",
  ])
  func optionsAreReturnedForEveryFormOfTheURL(url: String) async throws {
    for headers in [[:], ["Origin": "http://localhost:3000"], ["Access-Control-Request-Method": "POST"]] {
      let answer = try await backend.send(.options, url, headers: headers)
      #expect(answer.status == 204 && answer.body.isEmpty)
      #expect(answer.headers["Allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    }
    let (_, found) = try await backend.administrate("accounts:query", [:])
    #expect(found["recordsCount"] == "0")
  }
}
