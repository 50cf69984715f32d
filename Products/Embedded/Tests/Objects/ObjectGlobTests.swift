import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ObjectGlobTests {
  private static let names = ["foo/bar", "foo/baz", "foo/foobar", "foobar"]

  /// Patterns with the names of `names` that they match.
  @Test(arguments: [
    ("foo*bar", ["foobar"]), ("foo**bar", ["foo/bar", "foo/foobar", "foobar"]),
    ("**/foobar", ["foo/foobar", "foobar"]), ("*/ba[rz]", ["foo/bar", "foo/baz"]),
    ("*/ba[!a-y]", ["foo/baz"]), ("**/{foobar,baz}", ["foo/baz", "foo/foobar", "foobar"]),
    ("foo/{foo*,*baz}", ["foo/baz", "foo/foobar"]), ("foo?bar", []), ("foo/ba?", ["foo/bar", "foo/baz"]),
    ("**", names), ("*", ["foobar"]), ("foo/**/bar", ["foo/bar"]),
    ("{a,{foo/b,foob}a[r],}", ["foo/bar", "foobar"]),
    ("foo[!x]bar", []), ("foo\\/bar", ["foo/bar"]), ("fo", []), ("foo/bar/", []),
  ])
  func aPatternMatchesNames(pattern: String, expected: [String]) throws {
    let glob = try ObjectGlob(pattern)
    #expect(Self.names.filter(glob.matches) == expected)
  }

  @Test(arguments: [
    "[", "[a", "[]", "[z-a]", "{", "{a", "{a,", "{{a}", String(repeating: "{", count: 9),
    String(repeating: "a", count: 1_025),
  ])
  func aMalformedPatternIsRefused(pattern: String) {
    #expect(throws: Refusal.self) { try ObjectGlob(pattern) }
  }

  /// A pattern with many stars takes no longer in proportion than one with few.
  @Test func theTimeIsLinearInTheName() throws {
    let glob = try ObjectGlob(String(repeating: "*a", count: 10) + "b")
    let name = { (count: Int) in String(repeating: "a", count: count) }
    let growth = CPUTime.growth(from: 200, by: 8) { count in
      #expect(!glob.matches(name(count)))
    }
    #expect(growth < 24)
  }

  @Test func aListHasTheNamesThatMatch() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    for name in ["foo%2Fbar", "foo%2Fbaz", "foo%2Ffoobar", "foobar"] { try await client.put(name) }
    func names(_ query: String) async throws -> [String?] {
      try await client.call(.get, "o?\(query)")["items"]?.array?.map { $0["name"]?.string } ?? []
    }
    #expect(try await names("matchGlob=**/%7Bfoobar,baz%7D") == ["foo/baz", "foo/foobar", "foobar"])
    #expect(try await names("matchGlob=*/ba*&maxResults=1") == ["foo/bar"])
    #expect(try await names("matchGlob=foo**&delimiter=/") == ["foobar"])
    #expect(try await names("matchGlob=") == ["foo/bar", "foo/baz", "foo/foobar", "foobar"])
    #expect(try await client.send(.get, "o?matchGlob=%5B").status == 400)
    #expect(try await client.send(.get, "o?matchGlob=*&delimiter=x").status == 400)
  }

  /// A page ends after a certain number of names, also if none of them matches.
  @Test func aPageComparesALimitedNumberOfNames() async throws {
    let backend = Backend()
    let pages = try await backend.withDatabase { database in
      try database.opened().run(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 24999)
        INSERT INTO objects (bucket, name, content, record) SELECT 'b', printf('%06d', n), 0, x'' FROM numbers
        """)
      var (pages, start): ([ObjectListing.Page], String?) = ([], "")
      while let from = start {
        var listing = ObjectListing(bucket: "b", prefix: "", delimiter: "", start: from, limit: 10)
        listing.glob = try ObjectGlob("02499[89]")
        pages.append(try listing.page(from: database))
        start = pages.last?.next
      }
      return pages
    }
    #expect(pages.map(\.visited) == [10_000, 10_000, 5_000])
    #expect(pages.map(\.names) == [[], [], ["024998", "024999"]])
  }

  @Test func aLongPatternComparesFewerNames() async throws {
    let backend = Backend()
    let page = try await backend.withDatabase { database in
      try database.opened().run(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 999)
        INSERT INTO objects (bucket, name, content, record)
        SELECT 'b', printf('%01000d', n), 0, x'' FROM numbers
        """)
      var listing = ObjectListing(bucket: "b", prefix: "", delimiter: "", start: "", limit: 10)
      listing.glob = try ObjectGlob("x" + String(repeating: "a", count: 998))
      return try listing.page(from: database)
    }
    #expect(page.visited == 10 && page.names.isEmpty && page.next != nil)
  }

  // MARK: - Moves

  @Test func anObjectIsMovedInOneStep() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a", "one")
    try await client.put("b", "two")
    try await client.call(.patch, "o/a", #"{"metadata":{"k":"v"},"customTime":"2026-01-01T00:00:00Z"}"#)
    #expect(try await client.send(.post, "o/a/moveTo/o/b?ifGenerationMatch=0").status == 412)
    #expect(try await client.send(.post, "o/a/moveTo/o/b?ifSourceMetagenerationMatch=9").status == 412)
    #expect(try await client.send(.post, "o/a/moveTo/o/a").status == 400)
    #expect(try await client.send(.post, "o/none/moveTo/o/c").status == 404)
    try await client.call(.patch, "o/a", #"{"temporaryHold":true}"#)
    #expect(try await client.failure(.post, "o/a/moveTo/o/b").reason == "objectUnderActiveHold")
    #expect(try await client.content("b") == "two")
    try await client.call(.patch, "o/a", #"{"temporaryHold":false}"#)
    let moved = try await client.call(.post, "o/a/moveTo/o/b?ifSourceMetagenerationMatch=4")
    #expect(moved["name"] == "b" && moved["metadata"] == ["k": "v"])
    #expect(moved["customTime"] == "2026-01-01T00:00:00.000Z")
    #expect(try await client.content("b") == "one")
    #expect(try await client.send(.get, "o/a").status == 404)
    #expect(try await client.backend.storedRows() == ["contents": 1, "pieces": 1, "drafts": 0, "objects": 1])
    try await client.call(.patch, "", #"{"versioning":{"enabled":true}}"#)
    try await client.call(.post, "o/b/moveTo/o/c")
    #expect(try await client.list("versions=true").count == 2)
  }
}
