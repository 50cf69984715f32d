import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import TenonURLSession
import Testing

@Suite(.limited) struct DescriptionTests {
  /// Every way in which a value can get into a log.
  private func texts(of value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped, "\([value])", "\(Optional(value) as Any)"]
  }

  @Test func secretsOfRequestsAndResponsesAreNotPrinted() throws {
    let url = try #require(
      URL(string: "https://user:secret@example.com:444/path?key=secret&token=secret#secret"))
    let names = [
      "Authorization", "Cookie", "X-Firebase-AppCheck", "X-Goog-Api-Key", "Firebase-Instance-ID-Token",
      "Set-Cookie", "X-Goog-Upload-URL", "Location",
    ]
    let headers = HTTPHeaders(names.map { HTTPHeader(name: $0, value: "secret") })
    let request = TransportRequest(.post, url, headers: headers, body: .data(Data("secret".utf8)))
    let response = TransportResponse(status: 200, headers: headers, body: Data("secret".utf8))
    for text in texts(of: request) + texts(of: response) + texts(of: headers) + texts(of: request.body) {
      #expect(!text.contains("secret") && !text.contains("115, 101, 99"), "\(text)")
    }
    let states = texts(of: AuthState(userID: "ann", token: "secret"))
    let results = texts(of: AppCheckResult(token: "secret"))
    for text in states + results { #expect(!text.contains("secret"), "\(text)") }
    #expect(states[0] == "user ann" && "\(AuthState())" == "no user")
    #expect(
      "\(AppCheckResult(token: "", error: TransportError(.tls, "No.")))" == "no App Check token: No. (tls)")
    #expect("\(request)" == "POST https://example.com:444/path")
    #expect("\(HTTPHeader(name: "Accept", value: "text/plain"))" == "Accept: text/plain")
  }

  /// `URLSession` adds the URL to its errors.
  @Test func secretsOfTheURLAreNotInTheErrorOfAFailedExchange() async throws {
    let server = try RawServer { connection in _ = connection.readHead() }
    var engines: [any TransportInterop] = [URLSessionTransport()]
    #if os(Linux)
      engines.append(CurlTransport())
    #endif
    for transport in engines {
      for url in [
        server.url("/upload?upload_id=secret&key=secret"), URL(string: "http://127.0.0.1:1/?key=secret")!,
      ] {
        let error = await #expect(throws: TransportError.self) {
          try await transport.send(TransportRequest(.post, url, body: .data(Data("secret".utf8))))
        }
        let underlying = try #require(error?.underlying)
        for text in texts(of: error as Any) + texts(of: underlying) + [underlying.localizedDescription] {
          #expect(!text.contains("secret"), "\(text)")
        }
        #expect(!"\((underlying as NSError).userInfo)".contains("secret"))
      }
    }
  }
}
