import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import TenonValues
import Testing

@testable import TenonEmbedded

/// Signed URLs of the XML API.
@Suite(.limited) struct SignedURLTests {
  /// The parameters of a URL of version 4, signed at the time of the test's clock.
  private static func parameters(_ changes: [String: String?] = [:]) -> String {
    var parameters: [String: String?] = [
      "X-Goog-Algorithm": "GOOG4-RSA-SHA256",
      "X-Goog-Credential": "a@demo.iam.gserviceaccount.com/20231114/auto/storage/goog4_request",
      "X-Goog-Date": "20231114T221320Z", "X-Goog-Expires": "10", "X-Goog-SignedHeaders": "host",
      "X-Goog-Signature": "0a1b",
    ]
    parameters.merge(changes) { $1 }
    return parameters.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.queryValue($0))" } }
      .joined(separator: "&")
  }

  /// A client of a backend whose objects only administrators may read.
  private func client() async throws -> JSONAPIClient {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    client.backend.embedded.onObjectAccess { _ in false }
    return client
  }

  @Test func aSignedURLIsACredentialForItsRequestUntilItExpires() async throws {
    let client = try await client()
    #expect(try await client.send(.get, "/b/a").status == 401)
    let read = try await client.send(.get, "/b/a?\(Self.parameters())")
    #expect(read.status == 200 && read.body == Data("hello".utf8))
    #expect(try await client.send(.put, "/b/c?\(Self.parameters())", "x").status == 200)
    #expect(try await client.send(.get, "/b?\(Self.parameters())").status == 200)
    let named = "response-content-disposition=attachment&response-content-type=x%2Fy"
    let headers = try await client.send(.get, "/b/a?\(named)&\(Self.parameters())").headers
    #expect(headers["Content-Type"] == "x/y" && headers["Content-Disposition"] == "attachment")
    #expect(headers["Content-Security-Policy"] == "sandbox")
    client.backend.clock.advance(bySeconds: 10)
    #expect(try await client.send(.get, "/b/a?\(Self.parameters())").status == 200)
    client.backend.clock.advance(bySeconds: 1)
    let late = try await client.send(.get, "/b/a?\(Self.parameters())")
    #expect(late.status == 400 && XMLElement(parsing: late.body)?.value("Code") == "ExpiredToken")
  }

  @Test func aSignedURLOfVersion2Expires() async throws {
    let client = try await client()
    let signed = "GoogleAccessId=a%40demo.iam.gserviceaccount.com&Signature=aGk%3D&Expires=1700000010"
    #expect(try await client.send(.get, "/b/a?\(signed)").status == 200)
    client.backend.clock.advance(bySeconds: 11)
    #expect(try await client.send(.get, "/b/a?\(signed)").status == 400)
    for wrong in [
      signed.replacing("aGk%3D", with: "*"), signed.replacing("Expires", with: "E"),
      signed.replacing("%40", with: ""), signed.replacing("GoogleAccessId", with: "AWSAccessKeyId"),
      "Signature=aGk%3D",
    ] {
      #expect([400, 403].contains(try await client.send(.get, "/b/a?\(wrong)").status), "\(wrong)")
    }
  }

  /// A signature that isn't one is refused, also where everybody may read.
  @Test(arguments: [
    ["X-Goog-Algorithm": "GOOG4-HMAC-SHA256"], ["X-Goog-Algorithm": "none"], ["X-Goog-Algorithm": nil],
    ["X-Goog-Signature": nil], ["X-Goog-Signature": ""], ["X-Goog-Signature": "0"],
    ["X-Goog-Signature": "xy"], ["X-Goog-Expires": nil], ["X-Goog-Expires": "0"],
    ["X-Goog-Expires": "604801"], ["X-Goog-Expires": "-1"], ["X-Goog-Expires": "9999999999999999999"],
    ["X-Goog-Date": nil], ["X-Goog-Date": "20231114T250000Z"], ["X-Goog-Date": "2023-11-14T22:13"],
    ["X-Goog-Date": "20231114T221320é"], ["X-Goog-Date": "20231114T223320Z"],
    ["X-Goog-Credential": nil], ["X-Goog-Credential": "a/20231115/auto/storage/goog4_request"],
    ["X-Goog-Credential": "/20231114/auto/storage/goog4_request"],
    ["X-Goog-Credential": "a/20231114/auto/other/goog4_request"],
    ["X-Goog-Credential": "a/20231114/auto/storage"], ["X-Goog-SignedHeaders": nil],
    ["X-Goog-SignedHeaders": "x-goog-meta-a"], ["X-Goog-SignedHeaders": "content-type;host"],
  ])
  func aSignatureThatIsNoneIsRefused(changes: [String: String?]) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let response = try await client.send(.get, "/b/a?\(Self.parameters(changes))")
    #expect([400, 403].contains(response.status))
  }

  @Test func aSignedFieldIsNeeded() async throws {
    let client = try await client()
    let url = "/b/c?\(Self.parameters(["X-Goog-SignedHeaders": "host;x-goog-resumable"]))"
    #expect(try await client.send(.post, url).status == 403)
    let begun = try await client.send(.post, url, nil, ["X-Goog-Resumable": "start"])
    #expect(begun.status == 201)
    let location = try #require(begun.headers["Location"])
    // Only the client that was allowed to begin an upload knows its ID.
    #expect(try await client.backend.send(.put, location, body: Data("hello".utf8)).status == 200)
    #expect(try await client.send(.get, "/b/c?\(Self.parameters())").body == Data("hello".utf8))
  }

  /// A signature is part of the XML API only, and no second credential.
  @Test func aSignatureOpensNothingElse() async throws {
    let client = try await client()
    #expect(try await client.send(.get, "o/a?\(Self.parameters())").status == 401)
    #expect(try await client.send(.get, "/v0/b/b/o/a?\(Self.parameters())").status == 403)
    for token in ["Bearer owner", "Bearer x"] {
      let response = try await client.send(
        .get, "/b/a?\(Self.parameters())", nil, ["Authorization": token])
      #expect(response.status == 400)
    }
  }
}
