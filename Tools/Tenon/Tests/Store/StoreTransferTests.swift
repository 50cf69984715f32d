import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// `tenon store export` and `tenon store import`.
@Suite(.limited(of: .processes)) struct StoreTransferTests {
  private static let values: [String: Value] = [
    "array": [1, "two", true], "boolean": true, "bytes": .bytes(Data([0, 1, 255])), "double": -2.5,
    "geoPoint": .geoPoint(GeoPoint(latitude: 48.4, longitude: 9.98)), "infinity": .double(.infinity),
    "integer": .integer(9_007_199_254_740_993), "map": ["inner": ["deep": 1], "other": "x"],
    "nan": .double(.nan),
    "null": .null, "reference": .reference(ResourcePath(segments: ["c", "d"])), "string": "grün\u{0}\n😀",
    "timestamp": .timestamp(Timestamp(seconds: -5, nanoseconds: 123_456_000)), "vector": .vector([1, -0.5]),
  ]

  private func fields(_ store: Store, _ path: String) async throws -> Fields? {
    try await store.document(path).getDocument().fields
  }

  @Test func whatIsExportedIsImportedAsItWas() async throws {
    let (source, target) = (try StoreTool(), try StoreTool())
    defer { for tool in [source, target] { tool.remove() } }
    let store = source.store()
    for (name, value) in Self.values { try await store.document("values/\(name)").setData(["value": value]) }
    for index in 0..<1_100 { try await store.document("rooms/den/messages/m\(index)").setData(["n": index]) }
    try await store.document("rooms/empty").setData([String: Value]())
    await store.engine.close()
    try await target.write(["values/null": ["old": 1], "other/kept": ["n": 1]])

    let file = target.directory.appending(path: "all.jsonl").path
    let export = try await source.run("export", ["--output", file])
    #expect(export.status == 0 && export.output.isEmpty, "\(export)")
    #expect(export.errors == "Exported 1,115 documents to \(file).\n")
    let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    let result = try await target.run("import", ["--input", file])
    #expect(result.status == 0 && result.output == "Imported 1,115 documents.\n", "\(result)")

    let other = target.store()
    for (name, value) in Self.values {
      #expect(try await fields(other, "values/\(name)") == ["value": value])
    }
    #expect(try await fields(other, "rooms/empty") == [:])
    #expect(try await fields(other, "other/kept") == ["n": 1])
    #expect(try await other.collection("rooms/den/messages").count.getAggregation().count == 1_100)
    await other.engine.close()
    #expect(try await target.run("check").status == 0)
    // The same lines, apart from the times.
    let again = try await target.run("export", ["--collection", "values"])
    let names = try again.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])["name"] as? String
    }
    #expect(names == Self.values.keys.sorted().map { "values/\($0)" })
  }

  @Test func linesOfStandardInputAreImportedWhateverTheirEnds() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/old": ["n": 1]])
    let input =
      "{\"name\":\"notes/a\"}\r\n\n  \n"
      + "{\"name\":\"projects/p/databases/(default)/documents/notes/b\",\"fields\":{\"n\":{\"integerValue\":\"2\"}}}"
    let result = try await tool.run("import", ["--json"], input: input)
    #expect(result["imported"] as? Int == 2 && result["queued"] as? Int == 0, "\(result)")
    #expect(try await tool.run("query", ["notes"]).lines.count == 3)
    // What a shell makes of <(…), which can be read only once.
    let pipe = try await tool.run(
      "import", ["--input", "/dev/stdin", "--json"], input: "{\"name\":\"notes/c\"}")
    #expect(pipe["imported"] as? Int == 1, "\(pipe)")
  }

  @Test func importedDocumentsReachTheListenersOfAnApp() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = tool.store()
    try await store.document("notes/a").setData(["n": 1])
    var snapshots = store.collection("notes").snapshots.makeAsyncIterator()
    _ = try await snapshots.next()
    let result = try await tool.run("import", input: "{\"name\":\"notes/b\"}\n")
    #expect(result.status == 0, "\(result)")
    let snapshot = try #require(try await snapshots.next())
    #expect(snapshot.documents.map(\.documentID) == ["a", "b"])
    await store.engine.close()
  }

  @Test func documentsForASharedDatabaseAreQueuedAndSent() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let settings = StoreSettings(localCollections: ["drafts"])
    let remote = FakeStoreRemote()
    let store = tool.store(settings: settings, remote: remote, auth: auth)
    try await store.disableNetwork()
    try await store.document("drafts/old").setData(["n": 1])
    await store.engine.close()

    let lines = (0..<501).map { "{\"name\":\"notes/n\($0)\"}" } + ["{\"name\":\"drafts/new\"}"]
    let result = try await tool.run("import", input: lines.joined(separator: "\n"))
    #expect(
      result.output.hasPrefix(
        "Imported 1 document.\nQueued 501 documents as writes of user ann. An app sends them when it is connected;"
      ),
      "\(result)")
    let again = tool.store(settings: settings, remote: remote, auth: auth)
    try await again.disableNetwork()
    #expect(try await again.queuedWrites.map(\.writes.count) == [500, 1])
    #expect(try await again.collection("drafts").getDocuments(source: .cache).count == 2)
    try await again.enableNetwork()
    try await again.waitForPendingWrites()
    #expect(try await again.queuedWrites.isEmpty)
    await again.engine.close()
  }

  @Test func aWrongLineIsNamedAndNothingIsImported() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/old": ["n": 1]])
    let before = try tool.files()
    let lines = [
      "{\"name\":\"notes/a\"}", "{\"name\":\"notes\"}", "", "{\"name\":\"notes/b\",\"feilds\":{}}",
      "{\"name\":\"notes/c\"",
    ]
    let result = try await tool.run("import", input: lines.joined(separator: "\n"))
    #expect(result.status == 1 && result.output.isEmpty)
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 4, "\(result.errors)")
    for (error, part) in zip(
      errors, ["input:2: error: ", "input:4: error: It has the member \"feilds\"", "input:5: error: "])
    {
      #expect(error.contains(part))
    }
    #expect(
      errors.last
        == "Error: 3 lines are wrong. Nothing was imported; correct the lines and import the file again.")
    #expect(try tool.files() == before)
  }

  @Test func aDryRunOnlyCounts() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/old": ["n": 1]])
    let before = try tool.files()
    let result = try await tool.run("import", ["--dry-run"], input: "{\"name\":\"notes/a\"}")
    #expect(result.output == "1 document can be imported. Nothing was written.\n")
    #expect(try tool.files() == before)
  }

  @Test func anExportNeverReplacesADatabase() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/old": ["n": 1]])
    let before = try tool.files()
    let result = try await tool.run("export", ["--output", tool.file])
    #expect(result.status == 1 && result.errors.contains("is a database"))
    #expect(try tool.files() == before)
    let missing = try await tool.run("export", ["--output", "no/such/folder.jsonl"])
    #expect(missing.status == 1 && missing.errors.contains("no/such/folder.jsonl can't be written"))
    let input = try await tool.run("import", ["--input", "gone.jsonl"])
    #expect(input.status == 1 && input.errors.contains("gone.jsonl can't be read"))
    let collection = try await tool.run("export", ["--collection", "notes/old"])
    #expect(collection.status == 64)
    let empty = try await tool.run("export", ["--collection", "nots", "--collection", "notes"])
    #expect(empty.status == 0 && empty.lines.count == 1)
    #expect(empty.errors == "The collection nots has no documents on this device.\nExported 1 document.\n")
  }
}
