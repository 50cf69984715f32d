import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Noncurrent versions and soft-deleted objects.
@Suite(.limited) struct ObjectVersionTests {
  private static let versioning = #""versioning":{"enabled":true}"#
  private static let softDelete = #""softDeletePolicy":{"retentionDurationSeconds":"604800"}"#

  @Test func aReplacedObjectBecomesNoncurrentWhereTheBucketHasVersions() async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    let first = try await client.put("a", "one")
    client.backend.clock.advance(bySeconds: 5)
    let second = try await client.put("a", "two")
    #expect(try await client.list("") == ["a#\(second)"])
    #expect(try await client.list("versions=true") == ["a#\(first)", "a#\(second)"])
    #expect(try await client.content("a") == "two")
    #expect(try await client.content("a", "&generation=\(first)") == "one")
    let earlier = try await client.call(.get, "o/a?generation=\(first)")
    #expect(earlier["timeDeleted"] == "2023-11-14T22:13:25.000Z" && earlier["metageneration"] == "1")
    #expect(try await client.call(.get, "o/a")["timeDeleted"] == nil)
    // Without a generation, a deletion leaves all versions; with one, it is final.
    try await client.call(.delete, "o/a")
    #expect(try await client.send(.get, "o/a").status == 404)
    #expect(try await client.list("").isEmpty)
    #expect(try await client.list("versions=true") == ["a#\(first)", "a#\(second)"])
    try await client.call(.delete, "o/a?generation=\(first)")
    #expect(try await client.list("versions=true") == ["a#\(second)"])
    #expect(try await client.send(.get, "o/a?generation=\(first)").status == 404)
    #expect(try await client.backend.storedRows()["contents"] == 1)
    #expect(try await client.send(.delete, "").status == 409)
    try await client.call(.delete, "o/a?generation=\(second)")
    #expect(try await client.backend.storedRows() == ["contents": 0, "pieces": 0, "drafts": 0, "objects": 0])
    try await client.call(.delete, "")
  }

  @Test func withoutVersioningNothingIsKept() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let first = try await client.put("a", "one")
    try await client.put("a", "two")
    #expect(try await client.send(.get, "o/a?generation=\(first)").status == 404)
    #expect(try await client.list("versions=true").count == 1)
    #expect(try await client.backend.storedRows()["contents"] == 1)
    // What was noncurrent remains when versioning ends.
    try await client.call(.patch, "", "{\(Self.versioning)}")
    try await client.put("a", "three")
    try await client.call(.patch, "", #"{"versioning":{"enabled":false}}"#)
    try await client.put("a", "four")
    let versions = try await client.list("versions=true")
    #expect(versions.count == 2)
    let kept = try #require(versions.first?.split(separator: "#").last)
    #expect(try await client.content("a", "&generation=\(kept)") == "two")
  }

  @Test func aVersionIsCopiedChangedAndComposedByItsGeneration() async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    let first = try await client.put("a", "one")
    let second = try await client.put("a", "two")
    let changed = try await client.call(.patch, "o/a?generation=\(first)", #"{"metadata":{"k":"v"}}"#)
    #expect(changed["metageneration"] == "2" && changed["generation"] == .string(first))
    #expect(try await client.call(.get, "o/a")["metadata"] == nil)
    #expect(
      try await client.failure(.patch, "o/a?generation=\(first)&ifMetagenerationMatch=1", "{}").status == 412)
    let body =
      #"{"sourceObjects":[{"name":"a","generation":"\#(first)"},{"name":"a"},{"name":"a","generation":\#(second)}]}"#
    let whole = try await client.call(.post, "o/whole/compose", body)
    #expect(whole["componentCount"] == 3)
    #expect(try await client.content("whole") == "onetwotwo")
    // A copy onto itself makes an earlier version live.
    let restored = try await client.call(.post, "o/a/rewriteTo/b/b/o/a?sourceGeneration=\(first)")
    #expect(restored["resource"]?["metadata"] == ["k": "v"])
    #expect(try await client.content("a") == "one")
    #expect(try await client.list("versions=true&prefix=a").count == 3)
    #expect(try await client.failure(.post, "o/a/copyTo/b/b/o/c?sourceGeneration=1").status == 404)
  }

  @Test func generationsIncreaseAlsoBehindADeletion() async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    let first = try await client.put("a")
    try await client.call(.delete, "o/a")
    let second = try await client.put("a")
    #expect(try #require(Int64(second)) > (try #require(Int64(first))))
    #expect(try await client.list("versions=true") == ["a#\(first)", "a#\(second)"])
  }

  @Test func aListOfVersionsHasPages() async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    for name in ["a", "b%2F1", "c"] {
      for text in ["1", "2", "3"] { try await client.put(name, text) }
    }
    try await client.call(.delete, "o/c")
    let all = try await client.list("versions=true")
    #expect(all.count == 9)
    for size in 1...9 {
      var (pages, token): ([String], String?) = ([], "")
      while let next = token {
        let page = try await client.call(.get, "o?versions=true&maxResults=\(size)&pageToken=\(next)")
        let items = page["items"]?.array ?? []
        #expect(items.count <= size)
        pages += items.map { "\($0["name"]?.string ?? "")#\($0["generation"]?.string ?? "")" }
        token = page["nextPageToken"]?.string
      }
      #expect(pages == all)
    }
    let root = try await client.call(.get, "o?versions=true&delimiter=/")
    #expect(root["items"]?.array?.count == 6 && root["prefixes"] == ["b/"])
    #expect(try await client.send(.get, "o?versions=true&softDeleted=true").status == 400)
  }

  @Test(arguments: ["cGFnZTphAA", "cGFnZTphAHg", "cGFnZTphAC0"])
  func aTokenWithoutAGenerationIsRefused(token: String) async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    #expect(try await client.send(.get, "o?versions=true&pageToken=\(token)").status == 400)
  }

  @Test func theNamesOfAListOfVersionsAreNotSorted() async throws {
    let backend = Backend()
    let plans = try await backend.withDatabase { database in
      let connection = try database.opened()
      return try [ObjectScope.versions, .softDeleted(now: 0)].map { scope in
        var bindings: [SQLValue] = [.text("b"), .text("")]
        if case .softDeleted(let now) = scope { bindings.append(.integer(now)) }
        return try connection.rows("EXPLAIN QUERY PLAN \(scope.namesQuery)", bindings) { $0.text(3) }
          .joined(separator: "; ")
      }
    }
    for plan in plans { #expect(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN "), "\(plan)") }
  }

  // MARK: - Soft deletion

  @Test func aDeletedObjectIsRestoredUntilItsTimeHasCome() async throws {
    let client = try await JSONAPIClient(Backend(), Self.softDelete)
    try await client.call(
      .post, JSONAPIClient.upload("a"), "one")
    try await client.call(.patch, "o/a", #"{"metadata":{"k":"v"},"contentType":"x/y"}"#)
    let generation = try #require(try await client.call(.get, "o/a")["generation"]?.string)
    try await client.call(.delete, "o/a")
    #expect(try await client.send(.get, "o/a").status == 404)
    #expect(try await client.send(.get, "o/a?generation=\(generation)").status == 404)
    #expect(try await client.list("versions=true").isEmpty)
    #expect(try await client.list("softDeleted=true") == ["a#\(generation)"])
    let path = "o/a?softDeleted=true&generation=\(generation)"
    let deleted = try await client.call(.get, path)
    #expect(deleted["softDeleteTime"] == "2023-11-14T22:13:20.000Z")
    #expect(deleted["hardDeleteTime"] == "2023-11-21T22:13:20.000Z")
    #expect(try await client.send(.get, path + "&alt=media").status == 400)
    #expect(try await client.send(.get, "o/a?softDeleted=true").status == 400)
    #expect(try await client.send(.post, "o/a/restore").status == 400)
    #expect(try await client.send(.post, "o/a/restore?generation=1").status == 404)
    client.backend.clock.advance(bySeconds: 604_799)
    #expect(
      try await client.send(.post, "o/a/restore?generation=\(generation)&ifGenerationNotMatch=0").status
        == 412)
    let restored = try await client.call(.post, "o/a/restore?generation=\(generation)&ifGenerationMatch=0")
    #expect(restored["metadata"] == ["k": "v"] && restored["contentType"] == "x/y")
    #expect(restored["generation"] != .string(generation) && restored["softDeleteTime"] == nil)
    #expect(try await client.content("a") == "one")
    client.backend.clock.advance(bySeconds: 1)
    #expect(try await client.list("softDeleted=true").isEmpty)
    #expect(try await client.send(.post, "o/a/restore?generation=\(generation)").status == 404)
    #expect(try await client.send(.get, path).status == 404)
  }

  @Test func aReplacedObjectIsSoftDeletedAndItsContentPurged() async throws {
    let client = try await JSONAPIClient(Backend(), Self.softDelete)
    let first = try await client.put("a", "one")
    try await client.put("a", "two")
    #expect(try await client.list("softDeleted=true") == ["a#\(first)"])
    #expect(try await client.backend.storedRows()["contents"] == 2)
    client.backend.clock.advance(bySeconds: 604_800)
    try await client.put("b")
    #expect(try await client.backend.storedRows()["contents"] == 2)
    #expect(try await client.content("a") == "two")
  }

  @Test func aNoncurrentVersionIsSoftDeletedByItsGeneration() async throws {
    let client = try await JSONAPIClient(Backend(), "\(Self.versioning),\(Self.softDelete)")
    let first = try await client.put("a", "one")
    try await client.call(.delete, "o/a")
    #expect(try await client.list("softDeleted=true").isEmpty)
    try await client.call(.delete, "o/a?generation=\(first)")
    #expect(try await client.list("softDeleted=true") == ["a#\(first)"])
    #expect(try await client.list("versions=true").isEmpty)
    try await client.call(.post, "o/a/restore?generation=\(first)")
    #expect(try await client.content("a") == "one")
  }

  @Test func aBucketWithASoftDeletePolicyIsNotDeletedForGood() async throws {
    let client = try await JSONAPIClient(Backend(), Self.softDelete)
    try await client.put("a")
    try await client.call(.delete, "o/a")
    let refused = try await client.failure(.delete, "")
    #expect(refused.status == 501 && refused.message.contains("softDeletePolicy"))
    try await client.call(.patch, "", #"{"softDeletePolicy":{"retentionDurationSeconds":0}}"#)
    try await client.call(.delete, "")
    #expect(try await client.backend.storedRows()["contents"] == 0)
    #expect(try await client.send(.get, "/storage/v1/b?softDeleted=true").status == 501)
  }

  // MARK: - Durability

  /// A deletion that names the generation of the live object leaves no version.
  @Test func aDeletionOfAGenerationIsForGood() async throws {
    let client = try await JSONAPIClient(Backend(), Self.versioning)
    let first = try await client.put("a")
    client.backend.clock.advance(bySeconds: 1)
    let second = try await client.put("a")
    try await client.call(.delete, "o/a?generation=\(second)")
    #expect(try await client.list("versions=true") == ["a#\(first)"])
    try await client.call(.delete, "o/a?generation=\(first)")
    #expect(try await client.list("versions=true").isEmpty)
    try await client.call(.delete, "")
    let retained = try await JSONAPIClient(
      Backend(), #"\#(Self.versioning),"retentionPolicy":{"retentionPeriod":"60"}"#)
    let kept = try await retained.put("a")
    #expect(try await retained.failure(.delete, "o/a?generation=\(kept)").reason == "retentionPolicyNotMet")
    try await retained.call(.delete, "o/a")
  }

  @Test func versionsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = try await JSONAPIClient(
      Backend(directory: directory.path), "\(Self.versioning),\(Self.softDelete)")
    let noncurrent = try await first.put("a", "one")
    try await first.put("a", "two")
    let deleted = try await first.put("b", "three")
    try await first.call(.delete, "o/b")
    try await first.call(.delete, "o/b?generation=\(deleted)")
    await first.backend.embedded.close()
    let second = try await JSONAPIClient(Backend(directory: directory.path))
    #expect(try await second.content("a", "&generation=\(noncurrent)") == "one")
    #expect(try await second.list("softDeleted=true") == ["b#\(deleted)"])
    try await second.call(.post, "o/b/restore?generation=\(deleted)")
    #expect(try await second.content("b") == "three")
  }

  /// A database of the schema before versions, with properties upon which nothing acted.
  @Test func aDatabaseWithoutVersionsIsMigrated() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    try Self.olderDatabase(in: directory)
    let client = try await JSONAPIClient(Backend(directory: directory.path))
    #expect(try await client.content("a") == "one")
    #expect(try await client.call(.get, "o/a")["storageClass"] == "STANDARD")
    let changed = try await client.call(.patch, "", #"{"labels":{"l":"w"}}"#)
    #expect(changed["labels"] == ["k": "v", "l": "w"] && changed["metageneration"] == "8")
    #expect(changed["lifecycle"] == nil && changed["versioning"] == ["enabled": true])
    try await client.put("a", "two")
    #expect(try await client.list("versions=true").first == "a#17")
    #expect(try await client.content("a", "&generation=17") == "one")
  }

  private static func olderDatabase(in directory: TemporaryDirectory) throws {
    let own = "\(directory.path)/backend"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let connection = try Connection.open("\(own)/backend.sqlite")
    try connection.migrate(Array(EmbeddedSchema.migrations.prefix(7)))
    let properties =
      #"{"labels":{"k":"v"},"lifecycle":{"rule":[{"action":{"type":"Delete"}}]},"versioning":{"enabled":true}}"#
    let record = """
      {"bucket":"b","name":"a","generation":17,"metageneration":1,"size":3,"md5Hash":"","crc32c":"",
      "timeCreated":0,"updated":0,"downloadTokens":[],"metadata":{}}
      """
    try connection.run(
      "INSERT INTO buckets (name, created, metageneration, properties) VALUES ('b', 0, 7, ?)",
      [.blob(Data(properties.utf8))])
    try connection.run("INSERT INTO contents (id, created) VALUES (1, 0)")
    try connection.run("INSERT INTO pieces (content, position, bytes) VALUES (1, 0, x'6f6e65')")
    try connection.run(
      "INSERT INTO objects (bucket, name, content, record) VALUES ('b', 'a', 1, ?)",
      [.blob(Data(record.utf8))])
  }
}
