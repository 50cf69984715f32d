import Foundation
import TenonHashes
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Keys of service accounts for the XML API.
@Suite(.limited) struct HMACKeyTests {
  private static let keys = "/storage/v1/projects/demo/hmacKeys"
  private static let email = "admin@demo.iam.gserviceaccount.com"

  private func create(_ client: JSONAPIClient, _ email: String = email) async throws -> (
    id: String, secret: String
  ) {
    let created = try await client.call(
      .post, "\(Self.keys)?serviceAccountEmail=\(PercentEncoding.queryValue(email))")
    #expect(created["kind"] == "storage#hmacKey")
    return (try #require(created["metadata"]?["accessId"]?.string), try #require(created["secret"]?.string))
  }

  @Test func aKeyIsCreatedReadChangedListedAndDeleted() async throws {
    let client = try await JSONAPIClient()
    let (id, secret) = try await create(client)
    #expect(id.count == 61 && id.hasPrefix("GOOG1E") && secret.count == 40)
    let (other, _) = try await create(client, "b@demo.iam.gserviceaccount.com")
    let read = try await client.send(.get, "\(Self.keys)/\(id)")
    let key = try JSON(parsing: read.body)
    #expect(!String(decoding: read.body, as: UTF8.self).contains(secret))
    #expect(key["state"] == "ACTIVE" && key["serviceAccountEmail"] == .string(Self.email))
    #expect(key["id"] == .string("demo/\(id)") && key["projectId"] == "demo")
    func ids(_ query: String) async throws -> [String] {
      try await client.call(.get, "\(Self.keys)\(query)")["items"]?.array?.compactMap {
        $0["accessId"]?.string
      } ?? []
    }
    #expect(try await ids("") == [id, other].sorted())
    #expect(try await ids("?serviceAccountEmail=\(PercentEncoding.queryValue(Self.email))") == [id])
    let first = try await client.call(.get, "\(Self.keys)?maxResults=1")
    let token = try #require(first["nextPageToken"]?.string)
    #expect(try await ids("?maxResults=1&pageToken=\(token)") == [[id, other].sorted()[1]])
    #expect(try await client.failure(.delete, "\(Self.keys)/\(id)").status == 400)
    let tag = try #require(key["etag"]?.string)
    let changed = try await client.call(.put, "\(Self.keys)/\(id)", #"{"state":"INACTIVE","etag":"\#(tag)"}"#)
    #expect(changed["state"] == "INACTIVE" && changed["etag"] != key["etag"])
    #expect(
      try await client.failure(.put, "\(Self.keys)/\(id)", #"{"state":"ACTIVE","etag":"\#(tag)"}"#).status
        == 412)
    #expect(try await client.send(.delete, "\(Self.keys)/\(id)").status == 204)
    #expect(try await ids("") == [other])
    #expect(try await ids("?showDeletedKeys=true").count == 2)
    #expect(try await client.call(.get, "\(Self.keys)/\(id)")["state"] == "DELETED")
    #expect(try await client.failure(.put, "\(Self.keys)/\(id)", #"{"state":"ACTIVE"}"#).status == 404)
    client.backend.clock.advance(bySeconds: 31 * 86_400)
    _ = try await create(client)
    #expect(try await ids("?showDeletedKeys=true").count == 2)
  }

  @Test func whatIsNoKeyIsRefused() async throws {
    let client = try await JSONAPIClient()
    let (id, _) = try await create(client)
    for email in ["", "a", "a@b%0A", "a@\(String(repeating: "b", count: 300))"] {
      #expect(
        try await client.failure(.post, "\(Self.keys)?serviceAccountEmail=\(email)").status == 400, "\(email)"
      )
    }
    for body in ["{}", #"{"state":"DELETED"}"#, #"{"state":1}"#, "[]"] {
      #expect(try await client.failure(.put, "\(Self.keys)/\(id)", body).status == 400, "\(body)")
    }
    #expect(try await client.failure(.get, "\(Self.keys)/none").status == 404)
    #expect(try await client.failure(.get, "/storage/v1/projects/other/hmacKeys").status == 404)
    for _ in 0..<9 { _ = try await create(client) }
    let query = "?serviceAccountEmail=\(PercentEncoding.queryValue(Self.email))"
    #expect(try await client.failure(.post, "\(Self.keys)\(query)").status == 400)
    client.backend.embedded.onObjectAccess { _ in false }
    #expect(try await client.failure(.get, Self.keys).status == 401)
    #expect(try await client.failure(.post, "\(Self.keys)\(query)").status == 401)
  }

  /// Returns a URL that a key signs at the time of the test's clock.
  private static func url(
    _ method: String, _ path: String, _ id: String, _ secret: String, parameters: String = ""
  ) -> String {
    let scope = "20231114/auto/storage/goog4_request"
    let query =
      "X-Goog-Algorithm=GOOG4-HMAC-SHA256&X-Goog-Credential=\(id)%2F\(scope.replacing("/", with: "%2F"))"
      + "&X-Goog-Date=20231114T221320Z&X-Goog-Expires=60&X-Goog-SignedHeaders=host\(parameters)"
    let request = "\(method)\n\(path)\n\(query)\nhost:127.0.0.1:9199\n\nhost\nUNSIGNED-PAYLOAD"
    let digest = SHA256.digest(Data(request.utf8)).hexadecimal
    let text = "GOOG4-HMAC-SHA256\n20231114T221320Z\n\(scope)\n\(digest)"
    let key = ["20231114", "auto", "storage", "goog4_request"].reduce(Data("GOOG4\(secret)".utf8)) {
      SHA256.authenticationCode(of: Data($1.utf8), key: $0)
    }
    return
      "\(path)?\(query)&X-Goog-Signature=\(SHA256.authenticationCode(of: Data(text.utf8), key: key).hexadecimal)"
  }

  @Test func aURLIsVerifiedWithTheKeyThatSignedIt() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let (id, secret) = try await create(client)
    let (other, otherSecret) = try await create(client)
    client.backend.embedded.onObjectAccess { _ in false }
    func code(_ method: HTTPMethod, _ url: String, _ fields: [String: String] = [:]) async throws -> String {
      let response = try await client.send(method, url, nil, fields)
      return "\(response.status) \(XMLElement(parsing: response.body)?.value("Code") ?? "")"
    }
    let url = Self.url("GET", "/b/a", id, secret)
    #expect(try await client.send(.get, url).body == Data("hello".utf8))
    #expect(try await code(.delete, url) == "403 SignatureDoesNotMatch")
    #expect(
      try await code(.get, url.replacing("Expires=60", with: "Expires=61")) == "403 SignatureDoesNotMatch")
    #expect(try await code(.get, url, ["X-Goog-Project-ID": "demo"]) == "403 AccessDenied")
    #expect(try await code(.get, Self.url("GET", "/b/a", id, otherSecret)) == "403 SignatureDoesNotMatch")
    #expect(try await code(.get, Self.url("GET", "/b/a", "GOOG1ENONE", secret)) == "403 InvalidAccessKeyId")
    #expect(try await code(.get, Self.url("GET", "/b/a", other, otherSecret)) == "200 ")
    let owner = ["Authorization": "Bearer owner"]
    let state = #"{"state":"INACTIVE"}"#
    #expect(try await client.send(.put, "\(Self.keys)/\(id)", state, owner).status == 200)
    #expect(try await code(.get, url) == "403 InvalidAccessKeyId")
    #expect(try await client.send(.delete, "\(Self.keys)/\(id)", nil, owner).status == 204)
    #expect(try await code(.get, url) == "403 InvalidAccessKeyId")
    #expect(try await code(.get, Self.url("GET", "/b/a", id, "")) == "403 InvalidAccessKeyId")
    // The settings are about signers with other keys.
    client.backend.embedded.settings.urlSigners = [:]
    #expect(try await code(.get, Self.url("GET", "/b/a", other, otherSecret)) == "200 ")
    client.backend.clock.advance(bySeconds: 61)
    #expect(try await code(.get, Self.url("GET", "/b/a", other, otherSecret)) == "400 ExpiredToken")
  }

  /// RFC 4231, sections 4.2, 4.3 and 4.7.
  @Test func theAuthenticationCodeIsThatOfTheRFC() {
    for (key, message, code) in [
      (
        Data(repeating: 0x0b, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Data("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Data(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ] {
      #expect(SHA256.authenticationCode(of: Data(message.utf8), key: key).hexadecimal == code)
    }
  }

  @Test func keysAreDurable() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = try await JSONAPIClient(Backend(directory: directory.path), "")
    try await first.put("a")
    let (id, secret) = try await create(first)
    await first.backend.embedded.close()
    let second = try await JSONAPIClient(Backend(directory: directory.path))
    #expect(try await second.send(.get, Self.url("GET", "/b/a", id, secret)).status == 200)
  }
}
