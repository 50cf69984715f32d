import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Copies in the XML API.
@Suite(.limited) struct XMLCopyTests {
  /// A client of a backend with the object `a b/ü`, and its generation.
  private func client() async throws -> (JSONAPIClient, generation: String) {
    let client = try await JSONAPIClient(Backend(), "")
    let fields = ["Content-Type": "text/plain", "X-Goog-Meta-K": "v"]
    let response = try await client.send(.put, "/b/a%20b/%C3%BC", "hello", fields)
    return (client, try #require(response.headers["X-Goog-Generation"]))
  }

  private static let source = "/b/a%20b/%C3%BC"

  /// Copies the object, and returns the status and the code of an error.
  private func copy(
    _ client: JSONAPIClient, _ fields: [String: String] = [:], to target: String = "/b/t",
    content: String? = nil
  ) async throws -> String {
    let response = try await client.send(
      .put, target, content, ["X-Goog-Copy-Source": Self.source].merging(fields) { $1 })
    let code = XMLElement(parsing: response.body)?.value("Code")
    return code.map { "\(response.status) \($0)" } ?? "\(response.status)"
  }

  @Test(arguments: [source, "b/a%20b/%C3%BC", "/b/a%20b%2F%C3%BC"]) func anObjectIsCopiedWithItsMetadata(
    source: String
  ) async throws {
    let (client, _) = try await client()
    let response = try await client.send(
      .put, "/b/t/x", nil, ["X-Goog-Copy-Source": source, "Content-Type": "text/html", "X-Goog-Meta-N": "1"])
    #expect(response.status == 200)
    let result = try #require(XMLElement(parsing: response.body))
    #expect(result.value("ETag") == "\"5d41402abc4b2a76b9719d911017c592\"")
    #expect(result.value("LastModified")?.hasSuffix("Z") == true)
    let copy = try await client.call(.get, "o/t%2Fx")
    #expect(copy["contentType"] == "text/plain" && copy["metadata"] == ["k": "v"])
    #expect(copy["generation"]?.string == response.headers["X-Goog-Generation"])
    #expect(try await client.content("t%2Fx") == "hello")
  }

  @Test func metadataIsReplacedIfTheClientSaysSo() async throws {
    let (client, _) = try await client()
    let fields = [
      "X-Goog-Metadata-Directive": "REPLACE", "Content-Type": "text/html", "X-Goog-Storage-Class": "NEARLINE",
    ]
    #expect(try await copy(client, fields) == "200")
    let replaced = try await client.call(.get, "o/t")
    #expect(replaced["contentType"] == "text/html" && replaced["metadata"] == nil)
    #expect(replaced["storageClass"] == "NEARLINE")
    #expect(try await copy(client, ["X-Goog-Storage-Class": "COLDLINE"], to: "/b/u") == "200")
    let kept = try await client.call(.get, "o/u")
    #expect(kept["storageClass"] == "COLDLINE" && kept["metadata"] == ["k": "v"])
    #expect(try await copy(client, ["X-Goog-Metadata-Directive": "MERGE"]) == "400 InvalidArgument")
  }

  @Test func preconditionsAreChecked() async throws {
    let (client, generation) = try await client()
    let tag = "\"5d41402abc4b2a76b9719d911017c592\""
    let source = "X-Goog-Copy-Source"
    for (fields, expected) in [
      (["\(source)-If-Generation-Match": "1"], "412 PreconditionFailed"),
      (["\(source)-If-Metageneration-Match": "2"], "412 PreconditionFailed"),
      (["\(source)-If-Match": "x"], "412 PreconditionFailed"),
      (["\(source)-If-None-Match": tag], "412 PreconditionFailed"),
      (["\(source)-Generation": "1"], "404 NoSuchKey"),
      (["\(source)-If-Generation-Match": "x"], "400 InvalidArgument"),
      (["\(source)-Generation": "-1"], "400 InvalidArgument"),
      (["\(source)-If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT"], "501 NotImplemented"),
      (["X-Goog-If-Generation-Match": "1"], "412 PreconditionFailed"),
      ([source: "/b/none"], "404 NoSuchKey"), ([source: "/none/a"], "404 NoSuchBucket"),
      ([source: "/b/"], "400 InvalidArgument"), ([source: "a"], "400 InvalidArgument"),
      ([source: ""], "400 InvalidArgument"), ([source: "/b/%FF"], "400 InvalidArgument"),
    ] {
      #expect(try await copy(client, fields) == expected, "\(fields)")
    }
    #expect(try await copy(client, content: "x").hasPrefix("4"))
    #expect(try await client.send(.get, "/b/t").status == 404)
    let holding = [
      "\(source)-If-Generation-Match": generation, "\(source)-If-Metageneration-Match": "1",
      "\(source)-If-Match": tag, "\(source)-If-None-Match": "x", "\(source)-Generation": generation,
      "X-Goog-If-Generation-Match": "0",
    ]
    #expect(try await copy(client, holding) == "200")
    #expect(try await copy(client, holding) == "412 PreconditionFailed")
    #expect(try await copy(client, ["If-None-Match": "*"]) == "412 PreconditionFailed")
  }

  @Test func aCopyIsTheAdministrators() async throws {
    let (client, _) = try await client()
    client.backend.embedded.onObjectAccess { _ in false }
    #expect(try await copy(client) == "401 AuthenticationRequired")
    #expect(try await copy(client, ["Authorization": "Bearer owner"]) == "200")
  }
}
