import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Cloud Storage's XML API on the objects of the JSON API.
@Suite(.limited) struct XMLAPITests {
  private let origin = "http://127.0.0.1:9199"

  private func text(_ response: TransportResponse) -> String {
    String(decoding: response.body, as: UTF8.self)
  }

  /// Returns the status and the code of an error.
  private func failure(
    _ client: JSONAPIClient, _ method: HTTPMethod, _ path: String, _ body: String? = nil,
    _ headers: [String: String] = [:]
  ) async throws -> [String] {
    let response = try await client.send(method, path, body, headers)
    return [String(response.status), XMLElement(parsing: response.body)?.value("Code") ?? ""]
  }

  @Test func anObjectIsWrittenReadAndDeleted() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let headers = [
      "Content-Type": "text/plain", "Cache-Control": "private", "Content-Language": "en",
      "X-Goog-Meta-Key-A": "v", "X-Goog-Storage-Class": "NEARLINE",
      "X-Goog-Custom-Time": "2026-01-31T12:00:00.123456Z", "X-Goog-Acl": "public-read",
      "Content-MD5": "XUFAKrxLKna5cZ2REBfFkg==",
    ]
    // Slashes are part of the name, however they are written.
    let written = try await client.send(.put, "/b/a//b%2Fc", "hello", headers)
    #expect(written.status == 200 && written.headers["ETag"] == "\"5d41402abc4b2a76b9719d911017c592\"")
    let resource = try await client.call(.get, "o/a%2F%2Fb%2Fc?projection=full")
    #expect(resource["generation"]?.string == written.headers["X-Goog-Generation"])
    #expect(resource["metadata"] == ["key-a": "v"] && resource["storageClass"] == "NEARLINE")
    #expect(resource["customTime"] == "2026-01-31T12:00:00.123456Z" && resource["contentLanguage"] == "en")
    #expect(resource["acl"]?.array?.last?["entity"] == "allUsers")
    let read = try await client.send(.get, "/b/a/%2Fb/c", nil, ["Range": "bytes=1-2"])
    #expect(read.status == 206 && text(read) == "el" && read.headers["Content-Range"] == "bytes 1-2/5")
    #expect(read.headers["X-Goog-Meta-Key-A"] == "v" && read.headers["Content-Type"] == "text/plain")
    #expect(read.headers["Last-Modified"] == "Tue, 14 Nov 2023 22:13:20 GMT")
    let head = try await client.send(.head, "/b/a//b/c?generation=\(resource["generation"]?.string ?? "")")
    #expect(head.status == 200 && head.body.isEmpty && head.headers["Content-Length"] == "5")
    #expect(try await client.send(.head, "/b").headers["X-Goog-Metageneration"] == "1")
    #expect(try await client.send(.delete, "/b/a//b/c").status == 204)
    #expect(try await client.send(.get, "o/a%2F%2Fb%2Fc").status == 404)
  }

  /// The same paths with the host of production, of the path, and with the bucket in the host.
  @Test(arguments: [
    "https://storage.googleapis.com/b/x/y", "https://b.storage.googleapis.com/x/y",
    "http://localhost:9199/storage.googleapis.com/b/x/y",
  ])
  func anObjectHasSeveralURLs(url: String) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    #expect(try await client.backend.send(.put, url, body: Data("hello".utf8)).status == 200)
    #expect(try await client.content("x%2Fy") == "hello")
  }

  @Test func errorsAreXML() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    #expect(try await failure(client, .get, "/b/none") == ["404", "NoSuchKey"])
    #expect(try await failure(client, .delete, "/b/none") == ["404", "NoSuchKey"])
    // A bucket isn't created by writing to it: the path may be meant for another service.
    #expect(try await failure(client, .put, "/none/a", "x") == ["404", "NoSuchBucket"])
    #expect(try await failure(client, .get, "/none") == ["404", "NoSuchBucket"])
    #expect(
      try await failure(client, .get, "/b/a", nil, ["Range": "bytes=9-"]) == ["416", "InvalidRange"])
    #expect(
      try await failure(client, .put, "/b/a", "x", ["Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="])
        == ["400", "InvalidArgument"])
    #expect(try await failure(client, .patch, "/b/a") == ["405", "MethodNotAllowed"])
    #expect(try await failure(client, .post, "/b/a") == ["400", "InvalidArgument"])
    #expect(try await failure(client, .get, "/b/a", nil, ["Authorization": "Bearer x"])[0] == "401")
    for (method, path) in [
      (HTTPMethod.get, "/b/a?acl"), (.get, "/b?versioning"), (.put, "/b"), (.delete, "/b"),
      (.get, "/b/a?torrent"),
    ] {
      #expect(try await failure(client, method, path) == ["501", "NotImplemented"], "\(method) \(path)")
    }
    for field in ["X-Goog-Object-Lock-Mode", "X-Goog-Encryption-Key"] {
      #expect(try await failure(client, .put, "/b/a", "x", [field: "y"]) == ["501", "NotImplemented"])
    }
    #expect(try await failure(client, .get, "/b/a?response-content-type=a%0D%0AX:%20y")[0] == "400")
    #expect(try await client.content("a") == "hello")
  }

  @Test func preconditionsAndEntityTagsAreChecked() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let generation = try await client.put("a")
    let tag = "\"5d41402abc4b2a76b9719d911017c592\""
    let other = try #require(try await client.call(.get, "o/a")["etag"]?.string)
    for path in ["/b/a", "o/a", "o/a?alt=media"] {
      for (field, value, status) in [
        ("If-Match", tag, 200), ("If-Match", other, 200), ("If-Match", "x, *", 200), ("If-Match", "x", 412),
        ("If-None-Match", tag, 304), ("If-None-Match", "\"\(other)\"", 304), ("If-None-Match", "x", 200),
      ] {
        #expect(try await client.send(.get, path, nil, [field: value]).status == status, "\(path) \(value)")
      }
    }
    #expect(try await client.send(.put, "/b/a", "x", ["X-Goog-If-Generation-Match": "0"]).status == 412)
    #expect(try await client.send(.put, "/b/a", "x", ["If-None-Match": "*"]).status == 412)
    #expect(try await client.send(.delete, "/b/a", nil, ["If-Match": "x"]).status == 412)
    #expect(try await client.send(.patch, "o/a", "{}", ["If-Match": "x"]).status == 412)
    #expect(try await client.content("a") == "hello")
    let headers = ["X-Goog-If-Generation-Match": generation, "X-Goog-If-Metageneration-Match": "1"]
    #expect(try await client.send(.delete, "/b/a", nil, headers).status == 204)
    #expect(try await client.send(.put, "/b/a", "x", ["If-None-Match": "*"]).status == 200)
  }

  // MARK: - Lists

  /// Reads a list page by page, in both versions.
  @Test(arguments: [1, 2, 1_000], ["", "&delimiter=/", "&delimiter=/&prefix=c/", "&prefix=c"])
  func aListHasPages(size: Int, query: String) async throws {
    let client = try await JSONAPIClient(Backend(), "")
    for name in ["a", "b&<", "c%2F1", "c%2F2", "c%2Fd%2F3", "d", "e%2F"] { try await client.put(name) }
    let json = try await client.call(.get, "o?\(query.dropFirst())")
    let names = (json["items"]?.array ?? []).compactMap { $0["name"]?.string }
    let prefixes = (json["prefixes"]?.array ?? []).compactMap(\.string)
    for (version, next, parameter) in [
      ("", "NextMarker", "marker"), ("&list-type=2", "NextContinuationToken", "continuation-token"),
    ] {
      var (found, common, from, pages): ([String], [String], String?, Int) = ([], [], nil, 0)
      repeat {
        let start = from.map { "&\(parameter)=\(PercentEncoding.queryValue($0))" } ?? ""
        let page = try await client.send(.get, "/b?max-keys=\(size)\(version)\(query)\(start)")
        let root = try #require(XMLElement(parsing: page.body), "\(text(page))")
        found += root.all("Contents").compactMap { $0.value("Key") }
        common += root.all("CommonPrefixes").compactMap { $0.value("Prefix") }
        from = root.value(next)
        #expect((root.value("IsTruncated") == "true") == (from != nil))
        pages += 1
      } while from != nil && pages < 20
      #expect(found == names && common == prefixes, "\(version)")
    }
  }

  @Test func namesAreEncodedIfTheClientAsksForIt() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("%01a%2F%C3%A9")
    let plain = try await client.send(.get, "/b")
    #expect(text(plain).contains("<Key>&#1;a/é</Key>"))
    let encoded = try await client.send(.get, "/b?encoding-type=url")
    #expect(XMLElement(parsing: encoded.body)?.all("Contents").first?.value("Key") == "%01a/%C3%A9")
    for query in ["max-keys=0", "max-keys=x", "list-type=3", "list-type=2&continuation-token=x"] {
      #expect(try await failure(client, .get, "/b?\(query)")[0] == "400", "\(query)")
    }
  }
}
