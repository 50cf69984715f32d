import Foundation
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The commands of `tenon store` that only read.
@Suite(.limited(of: .processes)) struct StoreReadingTests {
  private static let notes: [String: [String: any Sendable & DocumentValue]] = [
    "notes/tea": ["title": "Green tea", "rating": 5, "tags": ["hot", "green"]],
    "notes/cup": ["title": "Cup", "rating": 3, "tags": ["hot"]], "notes/jug": ["title": "Jug", "rating": 4],
    "rooms/den/messages/m1": ["author": "ann"], "rooms/attic/messages/m2": ["author": "bob"],
  ]

  private static let settings = StoreSettings(
    indexes: [CompositeIndex("notes", .ascending("title"), .descending("rating"))],
    fieldOverrides: [FieldOverride("notes", "rating")], textIndexes: [TextIndex("notes", "title")])

  private func notes() async throws -> StoreTool {
    let tool = try StoreTool()
    try await tool.write(Self.notes, settings: Self.settings)
    return tool
  }

  // MARK: - What is printed

  @Test func infoListsCollectionsAndIndexes() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let info = try await tool.run("info", ["--json"])
    #expect(info.status == 0, "\(info.errors)")
    let collections = try #require(info["collections"] as? [[String: Any]])
    let counts = Dictionary(
      uniqueKeysWithValues: collections.map { ($0["path"] as? String, $0["documents"] as? Int) })
    #expect(counts == ["notes": 3, "rooms/den/messages": 1, "rooms/attic/messages": 1])
    let indexes = try #require(info["indexes"] as? [[String: Any]])
    #expect(
      indexes.map { "\($0["kind"] ?? "") \($0["name"] ?? "")" } == [
        "field notes(rating ascending)", "composite notes(title ascending, rating descending)",
        "text notes(words of title)",
      ])
    #expect(indexes.allSatisfy { $0["isComplete"] as? Bool == true })
    #expect(info["sharing"] as? String == "local" && info["hasChecksums"] as? Bool == true)
    #expect(info["format"] as? Int == LocalSchema.migrations.count)
    #expect((info["fileBytes"] as? Int ?? 0) > 10_000 && info["logBytes"] as? Int == 0)
    let text = try await tool.run("info")
    for part in ["COLLECTIONS", "notes ", "INDEXES", "complete", "only on this device", "open in"] {
      #expect(text.output.contains(part), "\(part): \(text.output)")
    }
  }

  @Test func infoListsTheQueuesThePinsAndTheLocalCollectionsOfASharedDatabase() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let (remote, auth) = (FakeStoreRemote(), FakeAuth())
    auth.signIn(userID: "ann")
    let store = tool.store(
      settings: StoreSettings(localCollections: ["drafts"]), remote: remote, auth: auth)
    remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    try await store.document("notes/refused").setData(["n": 1])
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    for id in ["a", "b"] { try await store.document("notes/\(id)").setData(["n": 1]) }
    try await store.document("notes/a").pin()
    try await store.document("drafts/d").setData(["n": 1])
    await store.engine.close()

    let info = try await tool.run("info", ["--json"])
    let queues = try #require(info["queues"] as? [[String: Any]], "\(info)")
    #expect(queues.count == 1 && queues[0]["user"] as? String == "ann")
    #expect(queues[0]["pending"] as? Int == 2 && queues[0]["rejected"] as? Int == 1)
    #expect(info["pins"] as? [String] == ["The document notes/a"])
    #expect(info["localCollections"] as? [String] == ["drafts"])
    #expect(info["sharing"] as? String == "shared" && info["user"] as? String == "ann")
    let document = try await tool.run("get", ["notes/a", "--json"])
    #expect(document["hasPendingWrites"] as? Bool == true && document["updateTime"] == nil)
  }

  @Test func getPrintsTheFieldsAsFirestoreDoesAndTheTimes() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let document = try await tool.run("get", ["notes/tea", "--json"])
    #expect(document.lines.count == 1 && document["name"] as? String == "notes/tea")
    let fields = try #require(document["fields"] as? [String: [String: Any]])
    #expect(fields["rating"]?["integerValue"] as? String == "5" && fields.count == 3)
    #expect(document["createTime"] is String && document["hasPendingWrites"] == nil)
    let indented = try await tool.run("get", ["notes/tea"])
    #expect(indented.output.contains("\n      \"integerValue\": \"5\"\n"), "\(indented.output)")
    #expect(try indented.json() as? NSDictionary == document.json() as? NSDictionary)
  }

  @Test(arguments: [("notes/gone", 1, "There is no document notes/gone"), ("notes", 64, "notes")])
  func getOfNoDocumentIsAnError(path: String, status: Int32, message: String) async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let result = try await tool.run("get", [path])
    #expect(result.status == status && result.errors.contains(message) && result.output.isEmpty, "\(result)")
  }

  @Test(
    arguments: [
      (["notes"], ["notes/cup", "notes/jug", "notes/tea"]),
      (["notes", "--where", "rating >= 4", "--order", "rating:desc"], ["notes/tea", "notes/jug"]),
      (["notes", "--where", "rating > 3", "--where", "rating != 5"], ["notes/jug"]),
      (["notes", "--order", "title", "--limit", "2"], ["notes/cup", "notes/tea"]),
      (["notes", "--where", "title == Green tea"], ["notes/tea"]),
      (["notes", "--where", "title == \"Cup\""], ["notes/cup"]),
      (["notes", "--where", "tags array-contains green"], ["notes/tea"]),
      (["notes", "--where", "rating in [3, 4]", "--order", "rating:asc"], ["notes/cup", "notes/jug"]),
      (["notes", "--where", "rating == {\"integerValue\": \"4\"}"], ["notes/jug"]),
      (["notes", "--where", "__name__ >= jug"], ["notes/jug", "notes/tea"]),
      (["messages", "--collection-group", "--where", "author == bob"], ["rooms/attic/messages/m2"]),
      (["rooms/den/messages"], ["rooms/den/messages/m1"]), (["nothing"], []),
    ] as [([String], [String])])
  func queryPrintsItsDocumentsInItsOrder(arguments: [String], paths: [String]) async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let text = try await tool.run("query", arguments)
    #expect(text.lines.map { String($0.prefix { $0 != " " }) } == paths, "\(text)")
    let json = try await tool.run("query", arguments + ["--json"])
    let names = try json.lines.map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }.map { $0?["name"] as? String }
    #expect(names == paths && json.status == 0)
  }

  @Test(
    arguments: [
      (["notes/tea"], "notes/tea"),
      (["notes", "--where", "rating"], "isn't a field, an operator and a value"),
      (["notes", "--where", "rating ~ 3"], "The operators are == !="),
      (["notes", "--where", "rating in [3"], "isn't JSON"),
      (["notes", "--where", "rating == {\"x\": 1}"], "value"),
      (["notes", "--limit", "0"], "limit"), (["a/b/c", "--collection-group"], "takes the ID of collections"),
      (["notes", "--where", "a..b == 1"], "has an empty name"),
    ])
  func aWrongQueryIsAWrongArgument(arguments: [String], message: String) async throws {
    let tool = try await notes()
    defer { tool.remove() }
    for command in ["query", "explain"] {
      let result = try await tool.run(command, arguments)
      #expect(result.status == 64 && result.errors.contains(message), "\(result)")
    }
  }

  @Test func explainIsTheExplanationOfTheStore() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let store = tool.store(settings: Self.settings)
    let expected = try await store.collection("notes").whereField("rating", isGreaterThan: 3).explain()
    await store.engine.close()
    let text = try await tool.run("explain", ["notes", "--where", "rating > 3"])
    #expect(text.output == "\(expected)\n" && text.output.contains("values of rating"))
    let json = try await tool.run("explain", ["notes", "--where", "title == Cup", "--json"])
    let missing = try #require(json["missingIndexes"] as? [[String: String]])
    #expect(missing.first?["index"] == "notes(title ascending)" && json["results"] as? Int == 1)
  }

  // MARK: - What isn't changed

  private static let readOnly: [[String]] = [
    ["info"], ["get", "notes/tea"], ["query", "notes"], ["explain", "notes"], ["export"], ["check"],
    ["queue"],
    ["import", "--dry-run"],
  ]

  private func runAll(_ tool: StoreTool, file: String? = nil) async throws {
    for words in Self.readOnly {
      let input = #"{"name":"notes/new","fields":{}}"#
      let result = try await tool.run(words[0], Array(words.dropFirst()), file: file, input: input)
      #expect(result.status == 0, "\(words): \(result)")
    }
  }

  @Test func noFileOfAClosedDatabaseChangesOrAppears() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let before = try tool.files()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: tool.directory.path)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool.directory.path)
    }
    try await runAll(tool)
    #expect(try tool.files() == before)
  }

  /// A process that is killed leaves its last transactions in the log.
  @Test(arguments: [["", "-wal", "-walmark"], ["", "-wal", "-walmark", "-shm", "-queue"]])
  func noFileOfAKilledProcessChangesAndItsLastWritesAreRead(suffixes: [String]) async throws {
    let (tool, left) = (try await notes(), try StoreTool())
    defer { for tool in [tool, left] { tool.remove() } }
    let store = tool.store(settings: Self.settings)
    try await store.document("notes/last").setData(["title": "Last"])
    for suffix in suffixes where FileManager.default.fileExists(atPath: tool.file + suffix) {
      try FileManager.default.copyItem(atPath: tool.file + suffix, toPath: left.file + suffix)
    }
    let before = try left.files()
    #expect(try await left.run("get", ["notes/last"]).status == 0)
    try await runAll(left)
    #expect(try left.files() == before)
    await store.engine.close()
  }

  @Test func anAppThatHasTheDatabaseOpenIsNotDisturbed() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let store = tool.store(settings: Self.settings)
    for round in 0..<3 {
      try await store.document("notes/last").setData(["title": "Last", "round": round])
      let before = try tool.files()
      let document = try await tool.run("get", ["notes/last", "--json"])
      let fields = document["fields"] as? [String: [String: String]]
      #expect(fields?["round"]?["integerValue"] == "\(round)", "\(document)")
      #expect(try tool.files() == before)
    }
    let before = try tool.files()
    try await runAll(tool)
    #expect(try tool.files() == before)
    #if os(Linux)
      let info = try await tool.run("info", ["--json"])
      let processes = try #require(info["processes"] as? [[String: Any]])
      #expect(processes.map { $0["pid"] as? Int } == [Int(ProcessInfo.processInfo.processIdentifier)])
      #expect(processes.first?["sends"] as? Bool == false)
    #endif
    await store.engine.close()
  }

  // MARK: - Wrong files

  @Test func aFileThatIsNoDatabaseOfStoreIsNamedAndLeftAsItIs() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let folder = tool.directory.appending(path: "wrong")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func make(_ name: String, _ sql: String) throws -> String {
      let path = folder.appending(path: name).path
      try Connection.open(path).execute(sql)
      return path
    }
    let copies = ["older", "newer"].map { folder.appending(path: $0).path }
    for copy in copies { try FileManager.default.copyItem(atPath: tool.file, toPath: copy) }
    try Connection.open(copies[0]).execute("PRAGMA user_version = 9")
    try Connection.open(copies[1]).execute("PRAGMA user_version = 99")
    try Data().write(to: folder.appending(path: "empty"))
    try Data("no database, but a text that is long enough for one".utf8).write(
      to: folder.appending(path: "text"))
    let encrypted = folder.appending(path: "encrypted").path
    _ = try StoreFile(path: encrypted, key: DatabaseKey(Array(repeating: 7, count: 32))).open()
    let wrong = [
      (folder.appending(path: "gone").path, "There is no file"),
      (
        encrypted,
        "is encrypted, and can't be looked into without its key. Name the file with its key with --key-file"
      ),
      (folder.appending(path: "empty").path, "it is empty"),
      (folder.appending(path: "text").path, "it doesn't begin as an SQLite database does"),
      (try make("foreign", "CREATE TABLE t (x)"), "it is an SQLite database of another program"),
      (try make("no tables", "PRAGMA user_version = 1"), "it has no tables"),
      (copies[0], "has version 9 of the format"), (copies[1], "has version 99 of the format"),
      (folder.path, "has no database of Store"),
    ]
    let before = try tool.files()
    for (path, message) in wrong {
      for words in Self.readOnly + [["import"], ["queue", "--cancel", UUID().uuidString]] {
        let result = try await tool.run(words[0], Array(words.dropFirst()), file: path)
        #expect(result.status == 1 && result.errors.contains(message), "\(words) \(path): \(result)")
        #expect(result.output.isEmpty)
      }
    }
    #expect(try tool.files() == before)
  }

  @Test func aDirectoryStandsForTheDatabaseInIt() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let data = tool.directory.appending(path: "data/app/tenon-store")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: tool.file, toPath: data.appending(path: "default.sqlite").path)
    for path in [tool.directory.path, data.path + "/", data.path + "/default.sqlite-wal"] {
      if path.hasSuffix("-wal") { try Data().write(to: URL(filePath: path)) }
      #expect(try await tool.run("get", ["notes/tea"], file: path).status == 0, "\(path)")
    }
    let link = tool.directory.appending(path: "link").path
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: data.path + "/default.sqlite")
    #expect(
      try await tool.run("info", ["--json"], file: link)["file"] as? String == data.path + "/default.sqlite")
    try FileManager.default.copyItem(
      at: data.appending(path: "default.sqlite"), to: data.appending(path: "db-other.sqlite"))
    let result = try await tool.run("info", file: tool.directory.path)
    #expect(result.status == 1 && result.errors.contains("has 2 databases"))
    #expect(result.errors.contains("tenon-store/db-other.sqlite"))
  }
}
