import Foundation
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonTransport

@Suite(.limited) struct FieldValidityTests {
  @Test(
    arguments: [
      ("X-Any", "", true), ("X-Any", "a b\tc é", true), ("x!#$%&'*+-.^_`|~1", "v", true), ("", "v", false),
      ("X Any", "v", false), ("X:", "v", false), ("X\r\nY", "v", false), ("É", "v", false),
      ("X", "a\rb", false),
      ("X", "a\nb", false), ("X", "a\0b", false), ("X", "a\u{7F}b", false), ("X", "a\u{1B}b", false),
    ])
  func fieldWithoutControlCharactersIsValid(name: String, value: String, isValid: Bool) {
    #expect(HTTPHeader(name: name, value: value).isValid == isValid)
  }

  @Test(arguments: Engine.allCases)
  func requestWithALineBreakInAFieldIsNotSent(_ engine: Engine) async throws {
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let transport = engine.transport()
    for request in [
      TransportRequest(.get, url, headers: HTTPHeaders([HTTPHeader(name: "X", value: "secret\r\nY: z")])),
      TransportRequest(.get, url, headers: HTTPHeaders([HTTPHeader(name: "X\nY", value: "z")])),
      TransportRequest(HTTPMethod(rawValue: "GET / HTTP/1.1\r\nX:"), url),
    ] {
      for send in [{ _ = try await transport.send(request) }, { _ = try await transport.stream(request) }]
        as [() async throws -> Void]
      {
        let thrown = await #expect(throws: TransportError.self) { try await send() }
        #expect(thrown?.code == .invalidRequest)
        #expect(thrown?.message.contains("secret") == false)
      }
    }
  }
}
