import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Multipart uploads of the XML API.
@Suite(.limited) struct MultipartUploadTests {
  private let backend = Backend()
  private let part = String(repeating: "a", count: 5 << 20)

  private func begin(_ client: JSONAPIClient, _ headers: [String: String] = [:]) async throws -> String {
    let begun = try await client.send(.post, "/b/a?uploads", nil, headers)
    return try #require(XMLElement(parsing: begun.body)?.value("UploadId"))
  }

  private func put(_ client: JSONAPIClient, _ id: String, _ number: Int, _ text: String) async throws
    -> String
  {
    let response = try await client.send(.put, "/b/a?partNumber=\(number)&uploadId=\(id)", text)
    try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    return try #require(response.headers["ETag"])
  }

  private func complete(_ client: JSONAPIClient, _ id: String, _ parts: [(Int, String)]) async throws
    -> String
  {
    let list = parts.map { "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag></Part>" }.joined()
    let body = "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>"
    let response = try await client.send(.post, "/b/a?uploadId=\(id)", body)
    return response.status == 200 ? "" : XMLElement(parsing: response.body)?.value("Code") ?? "none"
  }

  @Test func partsInAnyOrderBecomeAnObject() async throws {
    let client = try await JSONAPIClient(backend, "")
    let id = try await begin(client, ["Content-Type": "text/plain", "X-Goog-Meta-K": "v"])
    let last = try await put(client, id, 7, "end")
    _ = try await put(client, id, 2, "replaced")
    let second = try await put(client, id, 2, part)
    let first = try await put(client, id, 1, part)
    #expect(try await client.send(.get, "o/a").status == 404)
    let listed = try await client.send(.get, "/b/a?uploadId=\(id)&max-parts=2")
    let root = try #require(XMLElement(parsing: listed.body))
    #expect(root.all("Part").map { $0.value("PartNumber") } == ["1", "2"])
    #expect(root.value("IsTruncated") == "true" && root.value("NextPartNumberMarker") == "2")
    #expect(try await complete(client, id, [(1, first), (2, second), (7, last)]).isEmpty)
    let resource = try await client.call(.get, "o/a")
    #expect(resource["size"] == .string(String(2 * part.utf8.count + 3)))
    #expect(resource["contentType"] == "text/plain" && resource["metadata"] == ["k": "v"])
    #expect(try await client.content("a") == part + part + "end")
    #expect(try await complete(client, id, [(1, first)]) == "NoSuchUpload")
    // The contents of the parts are gone.
    let database = backend.embedded.objects.database
    let contents = try await database.read {
      try $0.opened().first("SELECT count(*) FROM contents") { $0.integer(0) }
    }
    #expect(contents == 1)
  }

  @Test func aListThatIsNotThatOfThePartsIsRefused() async throws {
    let client = try await JSONAPIClient(backend, "")
    let id = try await begin(client)
    let first = try await put(client, id, 1, "small")
    let second = try await put(client, id, 2, part)
    #expect(try await complete(client, id, [(1, first), (2, second)]) == "EntityTooSmall")
    #expect(try await complete(client, id, [(2, second), (1, first)]) == "InvalidPartOrder")
    #expect(try await complete(client, id, [(2, second), (2, second)]) == "InvalidPartOrder")
    #expect(try await complete(client, id, [(1, second)]) == "InvalidPart")
    #expect(try await complete(client, id, [(3, first)]) == "InvalidPart")
    #expect(try await complete(client, id, []) == "MalformedXML")
    #expect(try await complete(client, "none", [(1, first)]) == "NoSuchUpload")
    for number in ["0", "10001", "x", "-1"] {
      let path = "/b/a?partNumber=\(number)&uploadId=\(id)"
      #expect(try await client.send(.put, path, "x").status == 400)
    }
    // Another object, and a content that isn't the stated one.
    #expect(try await client.send(.put, "/b/other?partNumber=1&uploadId=\(id)", "x").status == 404)
    let wrong = ["Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="]
    #expect(try await client.send(.put, "/b/a?partNumber=1&uploadId=\(id)", "x", wrong).status == 400)
    #expect(try await client.send(.get, "o/a").status == 404)
    #expect(try await complete(client, id, [(1, first)]).isEmpty)
    #expect(try await client.content("a") == "small")
  }

  @Test func uploadsAreListedAndAborted() async throws {
    let client = try await JSONAPIClient(backend, "")
    let (first, second) = (try await begin(client), try await begin(client))
    _ = try await put(client, first, 1, "x")
    let page = try await client.send(.get, "/b?uploads&max-uploads=1")
    let root = try #require(XMLElement(parsing: page.body))
    #expect(root.all("Upload").count == 1 && root.value("IsTruncated") == "true")
    let marker = "key-marker=a&upload-id-marker=\(root.value("NextUploadIdMarker") ?? "")"
    let next = try await client.send(.get, "/b?uploads&\(marker)")
    let rest = XMLElement(parsing: next.body)?.all("Upload") ?? []
    #expect(Set((root.all("Upload") + rest).map { $0.value("UploadId") }) == [first, second])
    #expect(try await client.send(.delete, "/b/a?uploadId=\(first)").status == 204)
    #expect(try await client.send(.get, "/b/a?uploadId=\(first)").status == 404)
    #expect(try await client.send(.delete, "/b/a?uploadId=\(first)").status == 404)
    let none = try await client.send(.get, "/b?uploads&prefix=x")
    #expect(XMLElement(parsing: none.body)?.all("Upload").isEmpty == true)
  }

  @Test func anUploadEndsAfterAWeek() async throws {
    let client = try await JSONAPIClient(backend, "")
    let id = try await begin(client)
    let tag = try await put(client, id, 1, "x")
    backend.clock.advance(bySeconds: 7 * 86_400 + 1)
    #expect(try await complete(client, id, [(1, tag)]) == "NoSuchUpload")
    _ = try await begin(client)
    let database = backend.embedded.objects.database
    let parts = try await database.read {
      try $0.opened().first("SELECT count(*) FROM parts") { $0.integer(0) }
    }
    #expect(parts == 0)
  }

  @Test func partsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let before = try await JSONAPIClient(Backend(directory: directory.path), "")
    let id = try await begin(before)
    let tag = try await put(before, id, 1, "kept")
    await before.backend.embedded.close()
    let after = try await JSONAPIClient(Backend(directory: directory.path))
    #expect(try await complete(after, id, [(1, tag)]).isEmpty)
    #expect(try await after.content("a") == "kept")
  }
}
