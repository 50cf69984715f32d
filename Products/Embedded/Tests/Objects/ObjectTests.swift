import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ObjectTests {
  private let backend = Backend()
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"

  @discardableResult
  private func put(_ name: String, _ text: String = "0123456789") async throws -> JSON {
    let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    return try JSON(parsing: await backend.send(.post, "\(base)?name=\(encoded)", body: Data(text.utf8)).body)
  }

  private func list(_ query: String) async throws -> (names: [String], prefixes: [String], next: String?) {
    let json = try JSON(parsing: await backend.send(.get, "\(base)?\(query)").body)
    return (
      (json["items"]?.array ?? []).compactMap { $0["name"]?.string },
      (json["prefixes"]?.array ?? []).compactMap(\.string), json["nextPageToken"]?.string
    )
  }

  // MARK: - Download

  @Test(arguments: [
    ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=8-99", 206, "89", "bytes 8-9/10"),
    ("bytes=5-", 206, "56789", "bytes 5-9/10"), ("bytes=-2", 206, "89", "bytes 8-9/10"),
    ("bytes=a-b", 200, "0123456789", nil), ("bytes=0-1,4-5", 200, "0123456789", nil),
    ("bytes=0-9223372036854775807", 206, "0123456789", "bytes 0-9/10"),
    ("bytes=3-99999999999999999999", 206, "3456789", "bytes 3-9/10"),
    ("bytes=-99999999999999999999", 206, "0123456789", "bytes 0-9/10"),
    ("Bytes=9-", 206, "9", "bytes 9-9/10"), ("bytes= 1-2", 206, "12", "bytes 1-2/10"),
    ("bytes=0000000000000000000000000001-1", 206, "1", "bytes 1-1/10"),
    ("bytes=--1", 200, "0123456789", nil), ("bytes=-", 200, "0123456789", nil),
    ("bytes=", 200, "0123456789", nil), ("bytes=3-2", 200, "0123456789", nil),
    ("bytes=+1-2", 200, "0123456789", nil), ("bytes=1-+2", 200, "0123456789", nil),
    ("bytes=-+1", 200, "0123456789", nil), ("bytes=1--2", 200, "0123456789", nil),
    ("bytes=0x1-2", 200, "0123456789", nil), ("bytes=1.5-2", 200, "0123456789", nil),
    ("bytes=NaN-", 200, "0123456789", nil), ("bytes=-9223372036854775808-", 200, "0123456789", nil),
    ("bytes=\u{0661}-2", 200, "0123456789", nil), ("items=0-1", 200, "0123456789", nil),
  ])
  func aRangeIsServed(range: String, status: Int, content: String, field: String?) async throws {
    try await put("a")
    let response = try await backend.send(.get, "\(base)/a?alt=media", headers: ["Range": range])
    #expect(response.status == status)
    #expect(String(decoding: response.body, as: UTF8.self) == content)
    #expect(response.headers["Content-Range"] == field)
    #expect(response.headers["Content-Length"] == String(content.count))
  }

  /// RFC 9110, section 15.5.17.
  @Test(
    arguments: [
      ("bytes=10-", 10), ("bytes=10-20", 10), ("bytes=5-10", 3), ("bytes=-0", 10), ("bytes=0-0", 0),
      ("bytes=0-", 0), ("bytes=9223372036854775807-", 10), ("bytes=99999999999999999999-", 10),
      ("bytes=9223372036854775807-9223372036854775807", 10),
    ])
  func aRangeOutsideTheContentIsNotSatisfiable(range: String, size: Int) async throws {
    try await put("a", String(repeating: "x", count: size))
    let response = try await backend.send(.get, "\(base)/a?alt=media", headers: ["Range": range])
    #expect(response.status == 416)
    #expect(response.headers["Content-Range"] == "bytes */\(size)")
  }

  @Test func aSuffixRangeOfAnEmptyContentIsTheWhole() async throws {
    try await put("a", "")
    let response = try await backend.send(.get, "\(base)/a?alt=media", headers: ["Range": "bytes=-5"])
    #expect(response.status == 200 && response.body.isEmpty)
  }

  @Test func ifRangeRequiresTheSameContent() async throws {
    let etag = try #require(try await put("a")["etag"]?.string)
    for (condition, status) in [(etag, 206), ("\"\(etag)\"", 206), ("other", 200)] {
      let headers = ["Range": "bytes=0-1", "If-Range": condition]
      #expect(try await backend.send(.get, "\(base)/a?alt=media", headers: headers).status == status)
    }
  }

  @Test func aDownloadHasTypeAndDigests() async throws {
    let json = try await put("a", "hello")
    let headers = try await backend.send(.get, "\(base)/a?alt=media").headers
    #expect(headers["X-Goog-Hash"] == "crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==")
    #expect(headers["ETag"] == json["etag"]?.string)
    #expect(headers["X-Goog-Generation"] == json["generation"]?.string)
  }

  @Test func largeContentIsStreamedInChunks() async throws {
    let bytes = Data(repeating: 7, count: 2_500_000)
    _ = try await backend.send(.post, "\(base)?name=a", body: bytes)
    let url = try #require(URL(string: "\(base)/a?alt=media"))
    let response = try await backend.embedded.stream(TransportRequest(.get, url))
    var sizes: [Int] = []
    for try await piece in response.body { sizes.append(piece.count) }
    #expect(sizes == [1 << 20, 1 << 20, 2_500_000 - 2 << 20])
  }

  @Test func replacingAnObjectWhileItIsReadEndsTheStreamWithAnError() async throws {
    _ = try await backend.send(.post, "\(base)?name=a", body: Data(repeating: 7, count: 2_500_000))
    let url = try #require(URL(string: "\(base)/a?alt=media"))
    var pieces = try await backend.embedded.stream(TransportRequest(.get, url)).body.makeAsyncIterator()
    #expect(try await pieces.next()?.count == 1 << 20)
    try await put("a")
    await #expect(throws: TransportError.self) { _ = try await pieces.next() }
  }

  // MARK: - Metadata

  @Test func aPatchChangesOnlyItsMembers() async throws {
    let first = try await put("a")
    backend.clock.advance(bySeconds: 5)
    let change =
      #"{"contentType":"text/plain","cacheControl":"no-store","metadata":{"owner":"ada","year":1843}}"#
    let patched = try JSON(parsing: await backend.send(.patch, "\(base)/a", body: Data(change.utf8)).body)
    #expect(patched["contentType"] == "text/plain")
    #expect(patched["metadata"] == ["owner": "ada", "year": "1843"])
    #expect(patched["metageneration"] == "2")
    #expect(patched["generation"] == first["generation"])
    #expect(patched["updated"] != first["updated"] && patched["timeCreated"] == first["timeCreated"])
    #expect(patched["etag"] != first["etag"])
    let clearing = Data(#"{"cacheControl":null,"metadata":{"owner":null}}"#.utf8)
    let cleared = try await backend.send(
      .post,
      "\(base)/a",
      body: clearing,
      headers: ["X-HTTP-Method-Override": "PATCH"]
    )
    let json = try JSON(parsing: cleared.body)
    #expect(json["contentType"] == "text/plain")
    #expect(json["cacheControl"] == nil)
    #expect(json["metadata"] == ["year": "1843"])
    let emptied = try await backend.send(.patch, "\(base)/a", body: Data(#"{"metadata":{"year":null}}"#.utf8))
    #expect(try JSON(parsing: emptied.body)["metadata"] == nil)
  }

  @Test(arguments: [HTTPMethod.get, .patch, .delete])
  func aMissingObjectIsNotFound(method: HTTPMethod) async throws {
    let response = try await backend.send(
      method,
      "\(base)/none",
      body: method == .patch ? Data("{}".utf8) : nil
    )
    #expect(response.status == 404)
    #expect(try JSON(parsing: response.body)["error"]?["code"] == 404)
  }

  @Test func aDeletedObjectIsNotFound() async throws {
    try await put("a")
    #expect(try await backend.send(.delete, "\(base)/a").status == 204)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
    #expect(try await list("").names.isEmpty)
  }

  // MARK: - Access

  @Test func theSettingsCanRequireAUser() async throws {
    let json = try await put("a")
    backend.embedded.settings.objectsRequireSignIn = true
    let denied = try await backend.send(.get, "\(base)/a")
    #expect(denied.status == 403)
    #expect(try JSON(parsing: denied.body).errorMessage == "Permission denied. No READ permission.")
    #expect(try await backend.send(.get, "\(base)/none").status == 403)
    #expect(try await backend.send(.post, "\(base)?name=b", body: Data()).status == 403)
    let token = try #require(try await backend.call("accounts:signUp").json["idToken"]?.string)
    for scheme in ["Firebase", "Bearer"] {
      #expect(
        try await backend.send(.get, "\(base)/a", headers: ["Authorization": "\(scheme) \(token)"]).status
          == 200
      )
    }
    let link = "\(base)/a?alt=media&token="
    #expect(try await backend.send(.get, link + (json["downloadTokens"]?.string ?? "")).status == 200)
    #expect(try await backend.send(.get, link + "made-up").status == 403)
  }

  @Test func anAdministratorCreatesAndRevokesDownloadTokens() async throws {
    let first = try #require(try await put("a")["downloadTokens"]?.string)
    let owner = ["Authorization": "Firebase owner"]
    #expect(try await backend.send(.post, "\(base)/a?create_token=true").status == 403)
    let two = try JSON(parsing: await backend.send(.post, "\(base)/a?create_token=true", headers: owner).body)
    let tokens = try #require(two["downloadTokens"]?.string).split(separator: ",")
    #expect(tokens.count == 2 && tokens[0] == first)
    let one = try JSON(
      parsing: await backend.send(.post, "\(base)/a?delete_token=\(first)", headers: owner).body
    )
    #expect(one["downloadTokens"]?.string == String(tokens[1]))
    // The last one is replaced, because an object always has a URL.
    let last = try JSON(
      parsing: await backend.send(.post, "\(base)/a?delete_token=\(tokens[1])", headers: owner).body
    )
    let new = try #require(last["downloadTokens"]?.string)
    #expect(!new.isEmpty && !new.contains(",") && !tokens.contains(Substring(new)))
  }

  // MARK: - Listing

  @Test func aFolderHasItemsAndPrefixes() async throws {
    for name in ["a/", "a/1", "a/2", "a/b/3", "a/b/c/4", "a/z", "a0", "b", "a//hidden"] {
      try await put(name)
    }
    let folder = try await list("prefix=a%2F&delimiter=%2F")
    #expect(folder.names == ["a/1", "a/2", "a/z"])
    #expect(folder.prefixes == ["a/b/"])
    #expect(folder.next == nil)
    let root = try await list("delimiter=%2F")
    #expect(root.names == ["a0", "b"])
    #expect(root.prefixes == ["a/"])
    #expect(try await list("prefix=a%2Fb%2F").names == ["a/b/3", "a/b/c/4"])
    #expect(try await list("prefix=none%2F").names.isEmpty)
  }

  @Test func aListEndsWithItsPrefix() async throws {
    for name in ["a/1", "a/2", "b/a name that is longer than the prefix"] { try await put(name) }
    let whole = try await list("prefix=a%2F")
    #expect(whole.names == ["a/1", "a/2"])
    #expect(try await list("prefix=a%2F&delimiter=%2F").prefixes.isEmpty)
  }

  @Test(arguments: [1, 2, 3, 100])
  func pagesAddUpToTheWholeList(size: Int) async throws {
    let names = ["a/1", "b", "c/1", "c/2", "d", "é", "f/1", "😀"]
    for name in names { try await put(name) }
    var seen: (names: [String], prefixes: [String]) = ([], [])
    var token: String?
    repeat {
      let page = try await list("delimiter=%2F&maxResults=\(size)&pageToken=\(token ?? "")")
      #expect(page.names.count + page.prefixes.count <= size)
      seen.names += page.names
      seen.prefixes += page.prefixes
      token = page.next
    } while token != nil
    #expect(seen.names == ["b", "d", "é", "😀"])
    #expect(seen.prefixes == ["a/", "c/", "f/"])
  }

  /// `next` is Base64, too.
  @Test(arguments: ["next", "nonsense", "bm9wZQ", "cGFnZTr_"])
  func aTokenThatNoPageHadIsRefused(token: String) async throws {
    #expect(try await backend.send(.get, "\(base)?pageToken=\(token)").status == 400)
  }

  @Test func hundredsOfNamesAreListedOnce() async throws {
    for number in 0..<600 { try await put("n/\(number)", "") }
    #expect(Set(try await list("prefix=n%2F").names).count == 600)
  }

  /// No scalar has a number between those of U+D7FF and U+E000.
  @Test func aListContinuesBehindTheSurrogates() async throws {
    for name in ["a\u{D7FF}x", "a\u{D7FF}y", "a\u{E000}", "b"] { try await put(name) }
    let page = try await list("delimiter=%ED%9F%BF")
    #expect(page.prefixes == ["a\u{D7FF}"] && page.names == ["a\u{E000}", "b"])
  }

  /// No text follows those that begin with the last code point.
  @Test(arguments: ["\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"])
  func aListEndsAfterTheLastCodePoint(name: String) async throws {
    try await put(name + "1")
    try await put(name + "2")
    let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let page = try await list("delimiter=\(encoded)")
    #expect(page.prefixes == [name] && page.next == nil)
  }

  @Test(
    arguments: ["0", "-1", "+1", "", "x", "1.5", "NaN", "1e3", "9223372036854775808", "-9223372036854775809"])
  func anInvalidPageSizeIsRejected(size: String) async throws {
    let text = try #require(size.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try await backend.send(.get, "\(base)?maxResults=\(text)").status == 400)
  }

  @Test(arguments: ["1", "01", "1000", "2147483648", "9223372036854775807"])
  func aLargePageSizeIsAccepted(size: String) async throws {
    try await put("a")
    #expect(try await list("maxResults=\(size)").names == ["a"])
  }

  @Test func aPrefixThatIsNotAFolderIsRejected() async throws {
    #expect(try await backend.send(.get, "\(base)?prefix=a").status == 400)
  }
}
