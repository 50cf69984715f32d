import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// `tenon store check`.
@Suite(.limited(of: .processes)) struct StoreCheckTests {
  /// A database with indexes of every kind.
  private func notes(_ indexing: FieldIndexing = .onFirstQuery) async throws -> StoreTool {
    let tool = try StoreTool()
    let settings = StoreSettings(
      indexes: [
        CompositeIndex("notes", .contains("tags"), .descending("rating")),
        CompositeIndex("notes", scope: .collectionGroup, .ascending("rating"), .ascending("title")),
      ],
      fieldIndexing: indexing,
      fieldOverrides: [
        FieldOverride("notes", "rating"), FieldOverride("notes", "tags", [.values, .elements]),
      ],
      textIndexes: [TextIndex("notes", "title")])
    var notes: [String: [String: any Sendable & DocumentValue]] = [:]
    for index in 0..<40 {
      notes["notes/n\(index)"] = [
        "title": "Note \(index)",
        "rating": index % 2 == 0 ? Value.integer(Int64(index)) : .double(Double(index)),
        "tags": ["a", "b", "\(index)"], "map": ["inner": ["deep": index]],
        "body": String(repeating: "x", count: 3_000),
      ]
    }
    notes["notes/n1/notes/inner"] = ["title": "", "rating": 1]
    try await tool.write(notes, settings: settings)
    return tool
  }

  /// Changes the database with SQL.
  private func change(_ tool: StoreTool, _ sql: String) throws {
    try Connection.open(tool.file).execute(sql)
  }

  @Test(arguments: FieldIndexing.allCases) func aSoundDatabaseIsSound(indexing: FieldIndexing) async throws {
    let tool = try await notes(indexing)
    defer { tool.remove() }
    let result = try await tool.run("check", ["--json"])
    #expect(result.status == 0 && result["isSound"] as? Bool == true, "\(result)")
    #expect(result["documents"] as? Int == 41)
    #expect((result["entries"] as? Int ?? 0) > (indexing == .everyField ? 400 : 280), "\(result)")
    let text = try await tool.run("check")
    #expect(text.lines.count == 1 && text.output.hasPrefix("tenon store check: 41 documents"), "\(text)")
  }

  @Test func theQueueIsCheckedToo() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try await tool.write(["notes/a": ["n": 1]], isLocalOnly: false)
    #expect(try await tool.run("check", ["--json"])["batches"] as? Int == 1)
    try change(tool, "UPDATE batches SET content = x'01'")
    let result = try await tool.run("check")
    #expect(result.status == 1 && result.output.contains("The queued batch "), "\(result)")
  }

  @Test(
    arguments: [
      (
        "DELETE FROM entries WHERE document = (SELECT id FROM documents WHERE name = 'n7')", "index",
        "lacks an entry of the document notes/n7."
      ),
      (
        "INSERT INTO entries SELECT CAST(value || x'00ff' AS BLOB), key, document, is_double, number FROM entries LIMIT 1",
        "index",
        "has 1 more entries than the documents account for."
      ),
      ("UPDATE entries SET is_double = 1 - is_double", "index", "\"values of rating\" lacks an entry"),
      ("UPDATE entries SET number = number + 1", "index", "\"values of rating\" lacks an entry"),
      (
        "DELETE FROM index_entries WHERE idx = (SELECT min(idx) FROM index_entries)", "index",
        "elements of tags"
      ),
      (
        "INSERT INTO index_entries SELECT idx, collection, CAST(value || x'01' AS BLOB), key, document FROM index_entries LIMIT 2",
        "index", "has 2 more entries"
      ),
      (
        "UPDATE documents SET id = id + 1000 WHERE name = 'n9'", "index",
        "The index \"text of notes\" lacks an entry of the document notes/n9."
      ),
      (
        "UPDATE documents SET fields = x'ff' WHERE name = 'n3'", "document",
        "The document notes/n3 can't be read"
      ),
      (
        "UPDATE documents SET name = 'other' WHERE name = 'n3'", "document",
        "notes/other is stored in the place of another"
      ),
      (
        "UPDATE documents SET collection = 99 WHERE name = 'n3'", "document",
        "1 documents belong to no collection."
      ),
      (
        "INSERT INTO bases VALUES ((SELECT id FROM collections WHERE path = 'notes'), 'n2', 1, 0, 0, 0, x'ff')",
        "document",
        "The state of notes/n2 that the remote sent can't be read"
      ),
    ])
  func whatWasChangedIsNamed(sql: String, kind: String, message: String) async throws {
    let tool = try await notes()
    defer { tool.remove() }
    try change(tool, sql)
    let before = try tool.files()
    let result = try await tool.run("check", ["--json"])
    #expect(result.status == 1 && result["isSound"] as? Bool == false)
    let defects = try #require(result["defects"] as? [[String: String]])
    #expect(
      defects.contains { $0["kind"] == kind && $0["message"]?.contains(message) == true }, "\(result.output)")
    let repair = try #require(result["repair"] as? String)
    #expect(repair.contains(kind == "index" ? "fieldIndexing: .none" : "restore a backup"))
    #expect(try tool.files() == before)
  }

  /// The repair of indexes that the command names.
  @Test func indexesAreBuiltAgainAsTheRepairSays() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    try change(tool, "DELETE FROM entries; DELETE FROM index_entries")
    #expect(try await tool.run("check").status == 1)
    try await tool.write(
      [:], settings: StoreSettings(indexes: [], fieldIndexing: .none, fieldOverrides: [], textIndexes: []))
    try await tool.write(
      [:],
      settings: StoreSettings(
        indexes: [CompositeIndex("notes", .contains("tags"), .descending("rating"))],
        fieldOverrides: [FieldOverride("notes", "rating")], textIndexes: [TextIndex("notes", "title")]))
    let result = try await tool.run("check", ["--json"])
    #expect(result.status == 0 && (result["entries"] as? Int ?? 0) >= 41 + 120, "\(result)")
  }

  @Test func changedBytesAreNamedByTheirPage() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    var data = try Data(contentsOf: URL(filePath: tool.file))
    let place = try #require(data.firstRange(of: Data(String(repeating: "x", count: 500).utf8))).lowerBound
    for page in [0, 2] { data[place + 100 + page * 4_096] ^= 1 }
    try data.write(to: URL(filePath: tool.file))
    let result = try await tool.run("check")
    #expect(result.status == 1)
    for page in [1, 3] {
      let message = "Page \(place / 4_096 + page) of the file doesn't match its checksum. [page]"
      #expect(result.output.contains(message), "\(result.output)")
    }
    #expect(result.output.contains("The rest of the collection notes can't be read"))
    #expect(result.output.contains("recoverDocuments(from:)"))
    // Nothing is exported in part.
    let export = try await tool.run("export", ["--output", "out.jsonl"])
    #expect(export.status == 1 && export.errors.contains("is damaged"), "\(export)")
    let files = try FileManager.default.contentsOfDirectory(atPath: tool.directory.path)
    #expect(!files.contains { $0.hasPrefix("out") })
  }

  @Test func aDamagedHeaderIsADefect() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    var data = try Data(contentsOf: URL(filePath: tool.file))
    data[60] ^= 1
    try data.write(to: URL(filePath: tool.file))
    let result = try await tool.run("check")
    #expect(result.status == 1 && result.output.contains("is damaged and was left as it is"), "\(result)")
  }
}
