import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Cloud Storage's JSON API, whose objects are those of `firebasestorage`.
@Suite(.limited) struct JSONAPITests {
  private let backend = Backend()
  private let base = "http://127.0.0.1:9199/storage/v1/b/demo/o"
  private let uploads = "http://127.0.0.1:9199/upload/storage/v1/b/demo/o"
  private let downloads = "http://127.0.0.1:9199/download/storage/v1/b/demo/o"
  private let firebase = "https://firebasestorage.googleapis.com/v0/b/demo/o"

  @discardableResult
  private func put(_ name: String, _ text: String = "hello", _ query: String = "") async throws -> JSON {
    let response = try await backend.send(
      .post, "\(uploads)?uploadType=media&name=\(name)\(query)", body: Data(text.utf8),
      headers: ["Content-Type": "text/plain"])
    try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    return try JSON(parsing: response.body)
  }

  private func get(_ url: String, status: Int = 200) async throws -> JSON {
    let response = try await backend.send(.get, url)
    #expect(response.status == status)
    return try JSON(parsing: response.body)
  }

  @Test func anObjectHasAResource() async throws {
    let json = try await put("a%2Fb+c")
    #expect(json["kind"] == "storage#object" && json["name"] == "a/b c" && json["bucket"] == "demo")
    #expect(
      json["size"] == "5" && json["md5Hash"] == "XUFAKrxLKna5cZ2REBfFkg==" && json["crc32c"] == "mnG7TA==")
    #expect(json["contentType"] == "text/plain" && json["metadata"] == nil && json["downloadTokens"] == nil)
    #expect(json["selfLink"]?.string == "\(base)/a%2Fb%20c")
    #expect(try await get("\(base)/a%2Fb%20c") == json)
    let link = try #require(json["mediaLink"]?.string)
    #expect(try await backend.send(.get, link).body == Data("hello".utf8))
    #expect(try await backend.send(.get, "\(base)/a%2Fb%20c?alt=media").body == Data("hello".utf8))
    let part = try await backend.send(
      .get, "\(downloads)/a%2Fb%20c?alt=media", headers: ["Range": "bytes=1-2"])
    #expect(part.status == 206 && part.body == Data("el".utf8))
    #expect(part.headers["X-Goog-Hash"] == "crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==")
  }

  @Test func theDownloadTokensAreCustomMetadata() async throws {
    try await put("a")
    let token = try #require(try await get("\(firebase)/a")["downloadTokens"]?.string)
    #expect(!token.isEmpty)
    #expect(try await get("\(base)/a")["metadata"] == ["firebaseStorageDownloadTokens": .string(token)])
    let change = Data(#"{"metadata":{"k":"v","firebaseStorageDownloadTokens":"t1,t2"}}"#.utf8)
    let changed = try await backend.send(.patch, "\(base)/a", body: change)
    #expect(try JSON(parsing: changed.body)["metageneration"] == "2")
    let seen = try await get("\(firebase)/a")
    #expect(seen["downloadTokens"] == "t1,t2" && seen["metadata"] == ["k": "v"])
    let replaced = try await backend.send(.put, "\(base)/a", body: Data(#"{"contentType":"x/y"}"#.utf8))
    let json = try JSON(parsing: replaced.body)
    #expect(json["metadata"] == nil && json["contentType"] == "x/y" && json["metageneration"] == "3")
  }

  @Test func aMultipartUploadIsChecked() async throws {
    func upload(_ metadata: String) async throws -> TransportResponse {
      let body =
        "--B\r\ncontent-type: application/json\r\n\r\n\(metadata)\r\n--B\r\ncontent-type: text/css\r\n\r\nhello\r\n--B--"
      return try await backend.send(
        .post, "\(uploads)?uploadType=multipart", body: Data(body.utf8),
        headers: ["Content-Type": #"multipart/related; boundary="B""#])
    }
    #expect(try await upload(#"{"name":"a","crc32c":"AAAAAA=="}"#).status == 400)
    #expect(try await upload(#"{"name":"a","md5Hash":"AAAAAA=="}"#).status == 400)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
    let stored = try await upload(#"{"name":"a","crc32c":"mnG7TA==","metadata":{"k":"v"}}"#)
    let json = try JSON(parsing: stored.body)
    #expect(json["contentType"] == "text/css" && json["metadata"] == ["k": "v"])
  }

  // MARK: - Preconditions

  @Test func preconditionsProtectAnObject() async throws {
    let generation = try #require(try await put("a")["generation"]?.string)
    let wrong = "12"
    func status(_ method: HTTPMethod, _ query: String, _ name: String = "a", _ body: String = "{}")
      async throws -> Int
    {
      try await backend.send(method, "\(base)/\(name)?\(query)", body: method == .get ? nil : Data(body.utf8))
        .status
    }
    for method in [HTTPMethod.patch, .delete] {
      #expect(try await status(method, "ifGenerationMatch=\(wrong)") == 412)
      #expect(try await status(method, "ifMetagenerationMatch=\(wrong)") == 412)
      #expect(try await status(method, "generation=\(wrong)") == 404)
      #expect(try await status(method, "ifGenerationMatch=\(wrong)", "missing") == 404)
    }
    #expect(try await status(.get, "ifGenerationMatch=\(wrong)") == 412)
    #expect(try await status(.get, "ifGenerationNotMatch=\(generation)") == 304)
    #expect(try await status(.get, "ifMetagenerationNotMatch=1") == 304)
    #expect(try await status(.get, "ifGenerationNotMatch=\(wrong)&ifGenerationMatch=\(generation)") == 200)
    #expect(try await status(.get, "generation=\(generation)") == 200)
    let query = "\(uploads)?uploadType=media&name=a&ifGenerationMatch="
    #expect(try await backend.send(.post, query + "0", body: Data("x".utf8)).status == 412)
    #expect(try await backend.send(.post, query + generation, body: Data("x".utf8)).status == 200)
    #expect(try await backend.send(.post, query + generation, body: Data("y".utf8)).status == 412)
    #expect(try await status(.delete, "ifMetagenerationMatch=1") == 204)
    #expect(try await backend.send(.post, query + "0", body: Data("z".utf8)).status == 200)
  }

  /// Generation 0 is that of an object that doesn't exist.
  @Test func generationZeroMeansThatThereIsNoObject() async throws {
    func upload(_ query: String) async throws -> Int {
      try await backend.send(
        .post, "\(uploads)?uploadType=media&name=a&\(query)", body: Data("x".utf8)
      ).status
    }
    #expect(try await upload("ifGenerationNotMatch=0") == 412)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
    #expect(try await upload("ifGenerationMatch=0") == 200)
    #expect(try await upload("ifGenerationMatch=0") == 412)
    #expect(try await upload("ifGenerationNotMatch=0") == 200)
    #expect(try await backend.send(.get, "\(base)/a?ifGenerationNotMatch=0").status == 200)
  }

  @Test(
    arguments: ["-1", "", "x", "1.5", "9223372036854775808", "99999999999999999999999", "NaN"],
    ["ifGenerationMatch", "ifMetagenerationNotMatch"])
  func aPreconditionThatIsNoNumberIsRejected(value: String, name: String) async throws {
    try await put("a")
    #expect(try await backend.send(.get, "\(base)/a?\(name)=\(value)").status == 400)
  }

  // MARK: - Resumable uploads

  private func start(_ query: String = "", headers: [String: String] = [:], _ metadata: String = "{}")
    async throws -> String
  {
    let response = try await backend.send(
      .post, "\(uploads)?uploadType=resumable&name=a\(query)", body: Data(metadata.utf8), headers: headers)
    try #require(response.status == 200)
    return try #require(response.headers["Location"])
  }

  private func send(_ url: String, _ range: String?, _ text: String = "", hash: String? = nil) async throws
    -> TransportResponse
  {
    var headers: [String: String] = [:]
    headers["Content-Range"] = range
    headers["X-Goog-Hash"] = hash
    return try await backend.send(.put, url, body: Data(text.utf8), headers: headers)
  }

  @Test func anUploadContinuesWhereItStopped() async throws {
    let url = try await start(headers: [
      "X-Upload-Content-Type": "image/png", "X-Upload-Content-Length": "11",
    ])
    let empty = try await send(url, "bytes */11")
    #expect(empty.status == 308 && empty.headers["Range"] == nil)
    let first = try await send(url, "bytes 0-4/11", "hello")
    #expect(first.status == 308 && first.headers["Range"] == "bytes=0-4")
    #expect(try await send(url, "bytes */*").headers["Range"] == "bytes=0-4")
    // A gap, and a total that differs from the stated one.
    #expect(try await send(url, "bytes 6-10/11", "world").headers["Range"] == "bytes=0-4")
    #expect(try await send(url, "bytes 5-11/12", " world!").status == 400)
    #expect(try await send(url, "bytes 5-9/11", " w").status == 400)
    // The first two bytes were received before.
    let last = try await send(url, "bytes 3-10/11", "lo world", hash: "crc32c=yZRlqg==")
    #expect(last.status == 200)
    let json = try JSON(parsing: last.body)
    #expect(json["size"] == "11" && json["contentType"] == "image/png" && json["crc32c"] == "yZRlqg==")
    #expect(try await backend.send(.get, "\(downloads)/a").body == Data("hello world".utf8))
    // The response may have been lost.
    #expect(try await send(url, "bytes 3-10/11", "lo world") == last)
    #expect(try await send(url, "bytes */11") == last)
  }

  @Test func theEndMayBeKnownLater() async throws {
    let url = try await start()
    #expect(try await send(url, "bytes 0-4/*", "hello").status == 308)
    #expect(try await send(url, "bytes */4").status == 400)
    #expect(try await send(url, "bytes */5").status == 200)
    let whole = try await start()
    #expect(try await send(whole, nil, "all").status == 200)
    #expect(try await get("\(base)/a")["size"] == "3")
    let none = try await start()
    #expect(try await send(none, "bytes */0").status == 200)
    #expect(try await get("\(base)/a")["size"] == "0")
  }

  @Test func aWrongHashIsRejectedAndTheUploadRemains() async throws {
    let url = try await start()
    #expect(try await send(url, "bytes 0-4/5", "hello", hash: "crc32c=AAAAAA==").status == 400)
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
    #expect(
      try await send(url, "bytes */5", hash: "crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==").status == 200)
  }

  @Test func aCancelledUploadEnds() async throws {
    let url = try await start()
    _ = try await send(url, "bytes 0-4/11", "hello")
    #expect(try await backend.send(.delete, url).status == 499)
    #expect(try await send(url, "bytes 5-10/11", " world").status == 499)
    #expect(try await backend.storedRows()["contents"] == 0)
    #expect(
      try await backend.send(.put, url.replacingOccurrences(of: "upload_id=", with: "upload_id=x")).status
        == 404)
  }

  @Test func thePreconditionOfTheBeginningHoldsAtTheEnd() async throws {
    let url = try await start("&ifGenerationMatch=0")
    try await put("a")
    #expect(try await send(url, "bytes 0-4/5", "hello").status == 412)
    #expect(
      try await backend.send(.post, "\(uploads)?uploadType=resumable&name=a&ifGenerationMatch=0").status
        == 412)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-4", "bytes 4-0/5", "bytes 0-5/5", "bytes -1-4/5", "bytes 0-/5",
    "bytes a-b/c",
    "bytes 0-9223372036854775808/*", "bytes 0-4/99999999999999999999", "items 0-4/5", "bytes 0-4/5/6",
    "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775806/9223372036854775807", "bytes */-1",
    "bytes \u{0661}-4/5",
  ])
  func anInvalidRangeIsRejected(range: String) async throws {
    let url = try await start()
    #expect(try await send(url, range, "hello").status == 400)
    #expect(try await send(url, "bytes */*").headers["Range"] == nil)
  }

  @Test func theIDOfAnUploadIsValidForOneProtocolOnly() async throws {
    let json = try await start()
    let id = try #require(json.components(separatedBy: "upload_id=").last)
    let command = ["X-Goog-Upload-Command": "query"]
    let answer = try await backend.send(.post, "\(firebase)?upload_id=\(id)", headers: command)
    #expect(answer.status == 404)
  }

  // MARK: - Lists

  @Test func listsHaveAnyPrefixAndHideNothing() async throws {
    for name in ["a%2F", "a%2F1", "a%2F%2F2", "ab", "b%2Fc%2Fd"] { try await put(name) }
    func list(_ query: String) async throws -> (names: [String], prefixes: [String]) {
      let json = try await get("\(base)?\(query)")
      return (
        (json["items"]?.array ?? []).compactMap { $0["name"]?.string },
        (json["prefixes"]?.array ?? []).compactMap(\.string)
      )
    }
    #expect(try await list("").names == ["a/", "a//2", "a/1", "ab", "b/c/d"])
    #expect(try await list("prefix=a").names == ["a/", "a//2", "a/1", "ab"])
    let folder = try await list("prefix=a/&delimiter=/")
    #expect(folder.names == ["a/", "a/1"] && folder.prefixes == ["a//"])
    let root = try await list("delimiter=/&includeTrailingDelimiter=true")
    #expect(root.names == ["a/", "ab"] && root.prefixes == ["a/", "b/"])
    #expect(try await list("startOffset=a/1&endOffset=b").names == ["a/1", "ab"])
    let first = try await get("\(base)?maxResults=2&endOffset=b")
    let token = try #require(first["nextPageToken"]?.string)
    let second = try await get("\(base)?maxResults=2&endOffset=b&pageToken=\(token)")
    #expect(second["items"]?.array?.compactMap { $0["name"]?.string } == ["a/1", "ab"])
    #expect(second["nextPageToken"] == nil)
    for query in ["maxResults=0", "pageToken=*"] {
      #expect(try await backend.send(.get, "\(base)?\(query)").status == 400)
    }
  }

  // MARK: - Copies

  @Test func copiesShareTheirContentUntilTheLastIsDeleted() async throws {
    let source = try await put("a")
    let change = Data(#"{"metadata":{"k":"v"}}"#.utf8)
    _ = try await backend.send(.patch, "\(base)/a", body: change)
    let rewritten = try await backend.send(.post, "\(base)/a/rewriteTo/b/other/o/b%2Fc")
    let json = try JSON(parsing: rewritten.body)
    #expect(json["done"] == true && json["objectSize"] == "5" && json["totalBytesRewritten"] == "5")
    #expect(json["resource"]?["name"] == "b/c" && json["resource"]?["bucket"] == "other")
    #expect(
      json["resource"]?["md5Hash"] == source["md5Hash"] && json["resource"]?["contentType"] == "text/plain")
    #expect(json["resource"]?["metadata"] == ["k": "v"])
    let copied = try await backend.send(
      .post, "\(base)/a/copyTo/b/demo/o/d", body: Data(#"{"contentType":"x/y"}"#.utf8))
    #expect(try JSON(parsing: copied.body)["contentType"] == "x/y")
    // Onto itself, which changes only the metadata.
    #expect(try await backend.send(.post, "\(base)/a/copyTo/b/demo/o/a").status == 200)
    for name in ["\(base)/a", "\(base)/d"] { #expect(try await backend.send(.delete, name).status == 204) }
    let other = "http://127.0.0.1:9199/storage/v1/b/other/o/b%2Fc"
    #expect(try await backend.send(.get, other + "?alt=media").body == Data("hello".utf8))
    #expect(try await backend.storedRows() == ["contents": 1, "pieces": 1, "drafts": 0, "objects": 1])
    #expect(try await backend.send(.delete, other).status == 204)
    #expect(try await backend.storedRows() == ["contents": 0, "pieces": 0, "drafts": 0, "objects": 0])
  }

  @Test func copiesHavePreconditions() async throws {
    try await put("a")
    try await put("b")
    func status(_ query: String) async throws -> Int {
      try await backend.send(.post, "\(base)/a/copyTo/b/demo/o/b?\(query)").status
    }
    #expect(try await status("ifGenerationMatch=0") == 412)
    #expect(try await status("ifSourceGenerationMatch=1") == 412)
    #expect(try await status("sourceGeneration=1") == 404)
    #expect(try await status("ifSourceMetagenerationMatch=1") == 200)
    #expect(try await backend.send(.post, "\(base)/none/copyTo/b/demo/o/b").status == 404)
  }

  @Test func objectsAreComposed() async throws {
    let big = String(repeating: "x", count: 1_100_000)
    try await put("a", big)
    try await put("b", "hello")
    func compose(_ sources: [String], _ more: String = "") async throws -> TransportResponse {
      let list = sources.map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
      return try await backend.send(
        .post, "\(base)/c/compose", body: Data(#"{"sourceObjects":[\#(list)]\#(more)}"#.utf8))
    }
    let composed = try await compose(
      ["b", "a", "b"], #","destination":{"contentType":"x/y","metadata":{"k":"v"}}"#)
    let json = try JSON(parsing: composed.body)
    #expect(json["size"] == "1100010" && json["contentType"] == "x/y" && json["metadata"] == ["k": "v"])
    let whole = Data(("hello" + big + "hello").utf8)
    #expect(try await backend.send(.get, "\(downloads)/c").body == whole)
    let direct = try await put("d", "hello" + big + "hello")
    #expect(direct["md5Hash"] == json["md5Hash"] && direct["crc32c"] == json["crc32c"])
    #expect(try await compose(["none"]).status == 404)
    #expect(try await compose([]).status == 400)
    #expect(try await compose(Array(repeating: "b", count: 33)).status == 400)
    let condition = #"{"sourceObjects":[{"name":"b","objectPreconditions":{"ifGenerationMatch":"1"}}]}"#
    #expect(try await backend.send(.post, "\(base)/c/compose", body: Data(condition.utf8)).status == 412)
  }

  // MARK: - Buckets

  @Test func bucketsAreCreatedAndDeleted() async throws {
    let buckets = "http://127.0.0.1:9199/storage/v1/b"
    func create(_ name: String) async throws -> Int {
      try await backend.send(
        .post, "\(buckets)?project=demo", body: Data(#"{"name":"\#(name)","labels":{"k":"v"}}"#.utf8)
      ).status
    }
    #expect(try await create("own") == 200)
    #expect(try await create("own") == 409)
    #expect(try await create("demo.appspot.com") == 409)
    #expect(try await create("") == 400)
    try await put("a")
    let names = try await get("\(buckets)?project=demo")["items"]?.array?.compactMap { $0["name"]?.string }
    #expect(names == ["demo", "demo.appspot.com", "demo.firebasestorage.app", "own"])
    let page = try await get("\(buckets)?maxResults=2&prefix=demo.")
    #expect(page["items"]?.array?.count == 2 && page["nextPageToken"] == nil)
    let first = try await get("\(buckets)?maxResults=1")
    let token = try #require(first["nextPageToken"]?.string)
    let second = try await get("\(buckets)?maxResults=1&pageToken=\(token)")
    #expect(second["items"]?.array?.first?["name"] == "demo.appspot.com")
    #expect(try await get("\(buckets)/own")["labels"] == ["k": "v"])
    _ = try await backend.send(
      .patch, "\(buckets)/own", body: Data(#"{"labels":null,"location":"EU","id":"x"}"#.utf8))
    let changed = try await get("\(buckets)/own")
    #expect(
      changed["labels"] == nil && changed["location"] == "EU" && changed["id"] == "own"
        && changed["metageneration"] == "2")
    #expect(try await backend.send(.delete, "\(buckets)/demo").status == 409)
    #expect(try await backend.send(.delete, "\(buckets)/own").status == 204)
    #expect(try await backend.send(.get, "\(buckets)/own").status == 404)
    #expect(try await backend.send(.delete, "\(buckets)/own").status == 404)
  }

  @Test(arguments: [(60_000, 200), (70_000, 400)])
  func thePropertiesOfABucketAreLimitedInSize(size: Int, status: Int) async throws {
    let buckets = "http://127.0.0.1:9199/storage/v1/b"
    let label = #""labels":{"k":"\#(String(repeating: "x", count: size))"}"#
    let created = Data(#"{"name":"large",\#(label)}"#.utf8)
    #expect(try await backend.send(.post, "\(buckets)?project=demo", body: created).status == status)
    let changed = Data("{\(label)}".utf8)
    #expect(try await backend.send(.patch, "\(buckets)/demo.appspot.com", body: changed).status == status)
  }

  // MARK: - Batches

  @Test(arguments: [(1_000, 200), (1_001, 400)])
  func aBatchIsLimitedInLength(count: Int, status: Int) async throws {
    let part = "--B\n\nDELETE /storage/v1/b/demo/o/none HTTP/1.1\n\n\n"
    let response = try await backend.send(
      .post, "http://127.0.0.1:9199/batch/storage/v1",
      body: Data((String(repeating: part, count: count) + "--B--\n").utf8),
      headers: ["Content-Type": "multipart/mixed; boundary=B"])
    #expect(response.status == status)
  }

  @Test(arguments: ["\n", "\r\n"])
  func aBatchHasAResponseForEachRequest(newline: String) async throws {
    try await put("a")
    try await put("b")
    let parts = [
      "DELETE /storage/v1/b/demo/o/a HTTP/1.1\n\n", "GET \(base)/none HTTP/1.1\n\n",
      "PATCH \(base)/b HTTP/1.1\nContent-Type: application/json\n\n{\"metadata\":{\"k\":\"v\"}}",
      "GET \(downloads)/b HTTP/1.1\n\n",
    ]
    let body =
      parts.enumerated().map { "--==B==\nContent-Type: application/http\nContent-ID: <p\($0)>\n\n\($1)\n" }
      .joined() + "--==B==--\n"
    let response = try await backend.send(
      .post, "http://127.0.0.1:9199/batch/storage/v1",
      body: Data(body.replacingOccurrences(of: "\n", with: newline).utf8),
      headers: ["Content-Type": "multipart/mixed; boundary=\"==B==\""])
    #expect(response.status == 200)
    let text = String(decoding: response.body, as: UTF8.self)
    let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
    #expect(statuses == ["204", "404", "200", "400"], "\(text)")
    #expect(text.contains("Content-ID: <response-p2>"))
    #expect(try await backend.send(.get, "\(base)/a").status == 404)
    #expect(try await get("\(base)/b")["metadata"] == ["k": "v"])
  }

  @Test(arguments: ["", "--B", "--B\n\nno request\n--B--", "--B--", "\u{0}"])
  func aMalformedBatchIsRejected(body: String) async throws {
    let url = "http://127.0.0.1:9199/batch/storage/v1"
    let headers = ["Content-Type": "multipart/mixed; boundary=B"]
    #expect(try await backend.send(.post, url, body: Data(body.utf8), headers: headers).status == 400)
    #expect(try await backend.send(.post, url, body: Data(body.utf8)).status == 400)
  }

  // MARK: - Paths

  @Test(arguments: [
    ("/storage/v1/b/none/acl", 404), ("/storage/v1/b/demo/o/a/acl", 404),
    ("/storage/v1/b/demo/managedFolders", 501), ("/storage/v1/b/demo/o/a/moveTo/o/b", 404),
    ("/storage/v1/projects/demo/other", 501),
    ("/upload/storage/v1/b/demo", 404), ("/storage/v1/b/demo/o/a/copyTo/b/demo/o/b", 404),
    ("/storage/v1", 501),
    ("/batch/storage/v1", 404), ("/upload/storage/v1/b/demo/o", 404),
  ])
  func otherPathsAreNotFoundOrUnsupported(path: String, status: Int) async throws {
    #expect(try await backend.send(.get, "http://127.0.0.1:9199\(path)").status == status)
  }

  /// Rules don't apply to administrators; what others may do is in the table of access.
  @Test func rulesAndSignInDoNotApplyToAdministrators() async throws {
    try await put("a")
    backend.embedded.settings.objectsRequireSignIn = true
    backend.embedded.onObjectAccess { _ in false }
    let owner = ["Authorization": "Bearer owner"]
    #expect(try await backend.send(.get, "\(base)/a", headers: owner).status == 200)
    #expect(try await backend.send(.get, "\(base)/a").status == 401)
  }

  /// Google's own host.
  @Test func productionURLsAreServed() async throws {
    try await put("a")
    for host in ["storage.googleapis.com", "www.googleapis.com"] {
      #expect(try await get("https://\(host)/storage/v1/b/demo/o/a")["size"] == "5")
    }
  }
}
