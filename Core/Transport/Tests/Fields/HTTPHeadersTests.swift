import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited) struct HTTPHeadersTests {
  @Test func namesAreCaseInsensitive() {
    let headers = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "text/plain")])
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["CONTENT-TYPE"] == "text/plain")
    #expect(headers["Content-Typ"] == nil)
  }

  @Test func settingReplacesEveryFieldOfTheName() {
    var headers = HTTPHeaders()
    headers.add("A", "1")
    headers.add("B", "2")
    headers.add("a", "3")
    #expect(headers.values(of: "A") == ["1", "3"])
    headers["A"] = "4"
    #expect(headers.fields == [HTTPHeader(name: "A", value: "4"), HTTPHeader(name: "B", value: "2")])
    headers["b"] = nil
    #expect(headers.fields.map(\.name) == ["A"])
  }

  @Test(arguments: [
    ("http://localhost:1/", true), ("http://127.0.0.1/", true), ("http://127.255.0.3/", true),
    ("http://[::1]:80/", true), ("http://app.localhost/", true), ("http://localhost.example.com/", false),
    ("http://127.0.0.1.nip.io/", false), ("http://10.0.0.1/", false), ("https://example.com/", true),
    ("http://127.1/", false), ("http://0.0.0.0/", false), ("http://127.+1.0.1/", false),
    ("http://127.0.0.-0/", false), ("http://127.0.0.01/", false), ("http://127.00.0.1/", false),
    ("http://127.0.0.256/", false), ("http://127.0..1/", false), ("http://127.0.0.255/", true),
  ])
  func credentialsAreAllowedForTLSAndLoopback(_ url: String, _ expected: Bool) throws {
    let origin = try #require(URL(string: url).flatMap(Origin.init))
    #expect(origin.isTrustworthy == expected)
  }

  @Test func defaultPortsBelongToTheOrigin() throws {
    #expect(Origin(URL(string: "https://A.example/x")!) == Origin(URL(string: "https://a.example:443/y")!))
    #expect(Origin(URL(string: "http://a.example/")!) != Origin(URL(string: "https://a.example/")!))
  }
}
