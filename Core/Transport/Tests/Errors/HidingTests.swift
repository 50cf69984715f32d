import Foundation
import TenonTransport
import TenonTransportInterop
import Testing

struct HidingTests {
  @Test(arguments: [
    ("no", ["abcd"], "no"), ("abcd", ["abcd"], "•••"), ("<abcd><abcd>", ["abcd"], "<•••><•••>"),
    // The longer secret contains the other one.
    ("x abcdef abcd", ["abcd", "abcdef"], "x ••• •••"),
    // Without short texts, nothing would be left.
    ("abc", ["a", "abc", ""], "abc"),
  ])
  func secretsInABodyAreHidden(body: String, secrets: [String], expected: String) {
    let response = HTTPResponse(status: 400, body: Data(body.utf8))
    #expect(String(decoding: response.hiding(secrets).body, as: UTF8.self) == expected)
    #expect(response.hiding(secrets).status == 400)
  }

  @Test func credentialsOfARequestAreThoseOfItsFields() {
    var request = HTTPRequest(.get, URL(string: "https://example.com/")!)
    #expect(request.credentials.isEmpty)
    request.headers["authorization"] = "Firebase token"
    request.headers["X-Firebase-AppCheck"] = "proof"
    request.headers["X-Goog-Api-Key"] = "key"
    request.headers["Accept"] = "text/plain"
    #expect(Set(request.credentials) == ["Firebase token", "token", "proof", "key"])
  }

  @Test(arguments: [
    (TransportError.Timeout.exchange, " The limit is Auth.timeoutInterval."),
    (.connecting, " The limit is Auth.timeouts.connecting."),
    (.firstByte, " The limit is Auth.timeouts.firstByte."),
    (.inactivity, " The limit is Auth.timeouts.inactivity."),
    (TransportError.Timeout(rawValue: "later"), ""), (nil, ""),
  ])
  func errorNamesTheSettingOfItsLimit(timeout: TransportError.Timeout?, sentence: String) {
    let error = TransportError(.timedOut, "Late.", timeout: timeout)
    #expect(error.limitSentence(of: "Auth", exchange: "Auth.timeoutInterval") == sentence)
  }
}
