import Foundation
import TenonHashes
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Signatures of URLs that the backend can verify. The URLs are those of google-cloud-storage for Python 3
/// (`Blob.generate_signed_url(version="v4")`), signed at the time of the test's clock with a key that was made for
/// them; only its public half is here.
@Suite(.limited) struct URLSignerTests {
  private static let account = "admin@demo.iam.gserviceaccount.com"
  private static let key = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArgfHtoGq1Z8n30rrLc6a
    TiWjydPKnHkDsJ7QhAhs0932DxwTWRPslfkca/Xbk8Ev/Ep3LU76zm8uQsgwW1Tl
    oZoKFZmLc+DFSQotrdcCDLzPzHNCtRq+R9P7HV2JD5VTYtPyPwp3BAjDEFwgihBV
    cpG7gSVTuQB/3me7e22f2GS7PT8J9MJ72iO3CNKlcmxXi5FwWh36MMkmA/2ZiCuj
    abNrjqDq6PkKfC/7XJi4e3wUxwn2JxXQGYd7+8e4H3mZdNOUgF3JvR6a28nFbxUY
    m+ir3AoUrJnIFnpxqf0gXqhGU6/nEFJR5W2+QXVA4qa0aq8BxhhD96Qlye1vD1uB
    ywIDAQAB
    -----END PUBLIC KEY-----
    """
  /// Downloads the object `a b/ü`, as an attachment.
  private static let download =
    "/b/a%20b/%C3%BC?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=admin%40demo.iam.gservic"
    + "eaccount.com%2F20231114%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20231114T221320Z&X-Goog"
    + "-Expires=60&X-Goog-SignedHeaders=host&response-content-disposition=attachment%3B%20filename%"
    + "3D%22%C3%A4%20b%22&X-Goog-Signature=49939d4f2c50c690c140e5caf4f8088903cc775d0063a821fd67dae7"
    + "c1491ee5e51593fbe00bd1fc2712aa10d7b45ba0da5f83770a0f0105ccef64849cd21c0eea2e80372e163eaf2e6c"
    + "f35bc3ff76b6442d2ffcbc0650fb3fefa2a2562e3d2405ff03fa85e394e6a62eebcaf0805be40b52f6661c732b4e"
    + "776713a0f91cf3639d805e933ec00ad0c6efa3d522d41fd5b1dff500204031771406c12d4ba6bd47e41cc203aec6"
    + "1acaf2bc1b541840f344fd580e37ddc92d21b22c56ee737cddf29e6d1cf93569a0a8082ca5e6b16fd987d2cdf502"
    + "3589d1d559b9b5f40b7ad149b973edaf7ba965ea94d0652c89011d3693ddd0602b032bc4a5ec15179745e250"
  /// Uploads the object `up` with a content type and custom metadata.
  private static let upload =
    "/b/up?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=admin%40demo.iam.gserviceaccount.c"
    + "om%2F20231114%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20231114T221320Z&X-Goog-Expires=6"
    + "0&X-Goog-SignedHeaders=content-type%3Bhost%3Bx-goog-meta-k&X-Goog-Signature=6c455abf65cf8e7d"
    + "510244dcc45b440a05016f8168a01f7874f9f464c252de589897f5306c75b2ea0fe0f2acaa80aeaa5efa200e796e"
    + "3a8522893e0e283484d00e80e833618c40f6c372a7803ca67899d63412edf1a2cfc8a5dd5dd512a475342ec1ed37"
    + "9b59a39183e35e1987c8be50c1f88798001e401ff8394ed211682cd61bdc0645726f7e702efd1421a0cd1f8a20cd"
    + "c2d0a84eb23bffbbe807aae5bef827073aa241848aca25c037b220a3072f174f1fa3d22f16e4a8cb5b9084ef1965"
    + "6c6833960876c7caa64452d340c1c1db2e4cfcabd26a1a915fc03a9986ba1b11862e0f3846e585e4ad812c20126d"
    + "bb6795d47d61e85b532b5720fd1a7dc73a15"
  private static let fields = ["Content-Type": "text/plain", "X-Goog-Meta-K": "v w"]

  /// A client of a backend whose objects only administrators may read, and that has keys.
  private func client(_ keys: [String: String]? = [account: key]) async throws -> JSONAPIClient {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a%20b%2F%C3%BC")
    client.backend.embedded.onObjectAccess { _ in false }
    client.backend.embedded.settings.urlSigners = keys
    return client
  }

  /// Returns the status of a response and the code of its error.
  private func refusal(_ response: TransportResponse) -> String {
    "\(response.status) \(XMLElement(parsing: response.body)?.value("Code") ?? "")"
  }

  @Test func aURLOfGooglesLibraryIsVerified() async throws {
    let client = try await client()
    let response = try await client.send(.get, Self.download)
    #expect(response.status == 200 && response.body == Data("hello".utf8))
    #expect(try await client.send(.put, Self.upload, "x", Self.fields).status == 200)
    #expect(
      try await client.send(
        .put, Self.upload, "x", ["content-type": "text/plain", "x-goog-meta-k": " v   w "]
      )
      .status == 200)
    client.backend.clock.advance(bySeconds: 61)
    #expect(refusal(try await client.send(.get, Self.download)) == "400 ExpiredToken")
  }

  @Test func aURLForAnotherRequestIsRefused() async throws {
    let client = try await client()
    let changes = [
      ("/b/a%20b/", "/b/a%20c/"), ("attachment", "inline"), ("X-Goog-Expires=60", "X-Goog-Expires=61"),
      ("X-Goog-Date=20231114T221320Z", "X-Goog-Date=20231114T221321Z"),
      ("&X-Goog-Signature=", "&x=y&X-Goog-Signature="), ("%2Fauto%2F", "%2Fus%2F"),
      ("X-Goog-Signature=4", "X-Goog-Signature=5"), ("X-Goog-Signature=", "X-Goog-Signature=00"),
    ]
    for (old, new) in changes {
      let url = Self.download.replacing(old, with: new)
      try #require(url != Self.download)
      #expect(refusal(try await client.send(.get, url)) == "403 SignatureDoesNotMatch", "\(new)")
    }
    // Another method, another host, and another header field.
    #expect(refusal(try await client.send(.delete, Self.download)) == "403 SignatureDoesNotMatch")
    let elsewhere = try await client.backend.send(.get, "http://localhost:9199\(Self.download)")
    #expect(refusal(elsewhere) == "403 SignatureDoesNotMatch")
    for fields in [["Content-Type": "text/html", "X-Goog-Meta-K": "v w"], ["Content-Type": "text/plain"]] {
      #expect(refusal(try await client.send(.put, Self.upload, "x", fields)) == "403 SignatureDoesNotMatch")
    }
  }

  /// The holder of a URL would otherwise copy another object, or make the uploaded one public.
  @Test func aFieldOfTheAPIMustBeSigned() async throws {
    for field in ["X-Goog-Acl", "x-goog-copy-source", "X-Amz-Acl"] {
      let client = try await client()
      let fields = Self.fields.merging([field: "public-read"]) { $1 }
      #expect(
        refusal(try await client.send(.put, Self.upload, "x", fields)) == "403 AccessDenied", "\(field)")
    }
  }

  @Test func onlyAccountsWithAKeyHaveSigned() async throws {
    for keys in [
      [:], ["b@demo.iam.gserviceaccount.com": Self.key], [Self.account: "no key"], [Self.account: ""],
    ] {
      let client = try await client(keys)
      #expect(refusal(try await client.send(.get, Self.download)) == "403 AccessDenied", "\(keys.keys)")
    }
    let client = try await client()
    let old = "GoogleAccessId=\(Self.account)&Signature=aGk%3D&Expires=1700000010"
    #expect(refusal(try await client.send(.get, "/b/a%20b/%C3%BC?\(old)")) == "403 AccessDenied")
    let emulated = try Self.emulated("GET", "/b/a%20b/%C3%BC")
    #expect(refusal(try await client.send(.get, emulated)) == "403 AccessDenied")
  }

  /// Returns a URL as TenonStorage makes it for an emulator.
  private static func emulated(_ method: String, _ path: String) throws -> String {
    let scope = "20231114/auto/storage/goog4_request"
    let query =
      "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=firebase-storage-emulator%40example.com%2F"
      + "\(scope.replacing("/", with: "%2F"))&X-Goog-Date=20231114T221320Z&X-Goog-Expires=60&X-Goog-SignedHeaders=host"
    let request = "\(method)\n\(path)\n\(query)\nhost:127.0.0.1:9199\n\nhost\nUNSIGNED-PAYLOAD"
    let digest = SHA256.digest(Data(request.utf8)).hexadecimal
    let text = "GOOG4-RSA-SHA256\n20231114T221320Z\n\(scope)\n\(digest)"
    return "\(path)?\(query)&X-Goog-Signature=\(SHA256.digest(Data(text.utf8)).hexadecimal)"
  }

  @Test func theChecksumOfAnEmulatorsURLIsThatOfItsRequest() async throws {
    let client = try await client(nil)
    let url = try Self.emulated("GET", "/b/a%20b/%C3%BC")
    #expect(try await client.send(.get, url).status == 200)
    #expect(refusal(try await client.send(.delete, url)) == "403 SignatureDoesNotMatch")
    let longer = url.replacing("Expires=60", with: "Expires=600")
    #expect(refusal(try await client.send(.get, longer)) == "403 SignatureDoesNotMatch")
    // Nobody's key is known, so that every other signer is accepted.
    #expect(
      try await client.send(.get, Self.download.replacing("X-Goog-Signature=4", with: "X-Goog-Signature=5"))
        .status == 200)
  }

  @Test func aFormIsVerified() throws {
    let fields = [
      "x-goog-algorithm": "GOOG4-RSA-SHA256", "x-goog-date": "20231114T221320Z", "policy": "e30=",
      "x-goog-credential": "firebase-storage-emulator@example.com/20231114/auto/storage/goog4_request",
      "x-goog-signature": SHA256.digest(Data("e30=".utf8)).hexadecimal,
    ]
    func problem(_ changes: [String: String], _ keys: [String: String]? = nil) throws -> SignedURL.Problem? {
      let form = try #require(SignedURL(query: fields.merging(changes) { $1 }))
      return form.problemOfForm(
        by: URLSigners(keys: keys), now: Timestamp(seconds: 1_700_000_000, nanoseconds: 0))
    }
    #expect(try problem([:]) == nil)
    #expect(try problem(["policy": "e31="]) == .otherSignature)
    #expect(try problem([:], [:]) == .unknownSigner("firebase-storage-emulator@example.com"))
    let credential = "\(Self.account)/20231114/auto/storage/goog4_request"
    #expect(try problem(["x-goog-credential": credential], [Self.account: Self.key]) == .otherSignature)
  }
}
