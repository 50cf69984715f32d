import Foundation
import TenonTransport
import TenonTransportInterop
import Testing

struct DescriptionTests {
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
    let headers = HTTPHeaders(names.map { HTTPField(name: $0, value: "secret") })
    let request = HTTPRequest(.post, url, headers: headers, body: .data(Data("secret".utf8)))
    let response = HTTPResponse(status: 200, headers: headers, body: Data("secret".utf8))
    for text in texts(of: request) + texts(of: response) + texts(of: headers) + texts(of: request.body) {
      #expect(!text.contains("secret") && !text.contains("115, 101, 99"), "\(text)")
    }
    #expect("\(request)" == "POST https://example.com:444/path")
    #expect("\(HTTPField(name: "Accept", value: "text/plain"))" == "Accept: text/plain")
  }
}
