import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStore
import TenonStoreInterop
import Testing

/// A database in a directory that several processes share, opened in this one.
struct SharedDatabase {
  let app: App
  let store: Store

  /// With `TENON_STORE_ENCRYPTION=1`, the databases of all tests of durability are encrypted.
  static let areEncrypted = ProcessInfo.processInfo.environment["TENON_STORE_ENCRYPTION"] == "1"

  /// Returns the environment of a process whose database is encrypted or isn't.
  static func environment(isEncrypted: Bool) -> [String: String] {
    isEncrypted ? ["TENON_STORE_ENCRYPTION": "1"] : [:]
  }

  /// The bytes of the key of such databases.
  static let key: Range<UInt8> = 100..<132

  init(_ directory: URL, key: Range<UInt8>? = areEncrypted ? Self.key : nil) throws {
    app = try App.configure(
      name: directory.lastPathComponent,
      options: AppOptions(
        projectID: "demo-writer", data: .directory(directory.deletingLastPathComponent().path)),
      libraries: [StoreLibrary.self])
    store = try Store.store(
      app: app,
      settings: StoreSettings(
        isLocalOnly: true, encryption: key.map { key in .key { try EncryptionKey(key) } }))
  }

  /// Returns the path of the database.
  static func file(in directory: URL) -> URL { directory.appending(path: "tenon-store/default.sqlite") }

  /// Opens a database while a closure runs.
  static func with<Result>(
    _ directory: URL, key: Range<UInt8>? = areEncrypted ? Self.key : nil,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let database = try SharedDatabase(directory, key: key)
    do {
      let result = try await body(database.store)
      await database.app.delete()
      return result
    } catch {
      await database.app.delete()
      throw error
    }
  }
}

/// Compares a database with what its writers were told.
struct DatabaseAudit {
  let store: Store
  let documents: [QueryDocumentSnapshot]
  let counters: [String: Int]

  init(_ store: Store) async throws {
    self.store = store
    documents = try await store.collection("kept").getDocuments().documents
    let counters = try await store.collection("counters").getDocuments().documents
    self.counters = Dictionary(
      uniqueKeysWithValues: counters.map { ($0.documentID, Int($0.fields["count"]?.int64Value ?? 0)) })
  }

  /// Determines which uncertain writes were made, adds them to the journal, and checks that the journal
  /// matches the database.
  func check(_ journal: inout WriterJournal, doubts: [WriterJournal.Doubt]) async throws {
    let versions = Dictionary(
      uniqueKeysWithValues: documents.map {
        ($0.reference.path, Int($0.fields["version"]?.int64Value ?? 0))
      })
    for doubt in doubts where wasMade(doubt, versions, journal) { journal.apply(doubt) }
    #expect(versions == journal.versions, "acknowledged documents, and batches whole")
    #expect(counters == journal.counts, "acknowledged increments, and at most the one in flight")
    let accounts = try await store.collection("accounts").aggregate([.sum("amount")]).getAggregation()
    #expect(accounts[.sum("amount")] == .integer(0), "transfers are whole")
    try await checkIndex()
  }

  /// Returns whether an uncertain write has left a trace. If it has, it must have been made completely, which
  /// the following comparison checks.
  private func wasMade(
    _ doubt: WriterJournal.Doubt, _ versions: [String: Int], _ journal: WriterJournal
  ) -> Bool {
    switch doubt.kind {
    case "set": doubt.paths.contains { versions[$0] == doubt.number }
    case "delete": doubt.paths.allSatisfy { versions[$0] == nil }
    case "increment": counters[doubt.run, default: 0] > journal.counts[doubt.run, default: 0]
    default: false
    }
  }

  /// Checks that queries return the same documents as reading every document does.
  private func checkIndex() async throws {
    let kept = store.collection("kept")
    var conditions: [(FieldPath, QueryComparison, Value)] = [
      ("inner.even", .equal, true), ("inner.even", .equal, false), ("version", .greaterThan, 20),
      ("group", .equal, "alone"), ("group", .greaterThan, "alone"), ("text", .equal, ""),
    ]
    for rank in 0..<20 { conditions.append(("rank", .equal, Value(rank))) }
    for tag in 0..<5 { conditions.append(("tags", .arrayContains, .string("t\(tag)"))) }
    for (field, comparison, operand) in conditions {
      let found = try await Set(
        kept.whereFilter(Filter(.field(field, comparison, operand))).getDocuments().documents.map(
          \.documentID))
      let expected = documents.filter { $0.fields.satisfies(field, comparison, operand) == true }
      #expect(found == Set(expected.map(\.documentID)), "\(field.text) \(comparison) \(operand)")
    }
    // A writer declares the text index when it opens the database; it may have been killed before.
    for text in try await store.textIndexes().isEmpty ? [] : ["t0", "t1", "t2", "t3", "t4", "again"] {
      let found = try await Set(kept.search(text).getDocuments().map(\.document.documentID))
      let expected = documents.filter {
        $0.fields["tags"]?.arrayValue?.contains(.string(text)) == true || $0.fields["group"] == .string(text)
      }
      #expect(found == Set(expected.map(\.documentID)), "search for \(text)")
    }
    let byRank = try await kept.order(by: "rank").getDocuments().documents
    #expect(byRank.count == documents.count)
    let ranks = byRank.map { $0.fields["rank"]?.int64Value ?? 0 }
    #expect(ranks == ranks.sorted())
  }
}

extension Fields {
  fileprivate func satisfies(_ field: FieldPath, _ comparison: QueryComparison, _ operand: Value) -> Bool {
    guard let value = self[field] else { return false }
    return switch comparison {
    case .equal: value == operand
    case .greaterThan: value.compare(operand) > 0
    default: value.arrayValue?.contains(operand) == true
    }
  }
}

/// Returns the result of SQLite's integrity check of a file.
func integrity(
  of file: URL, key: Range<UInt8>? = SharedDatabase.areEncrypted ? SharedDatabase.key : nil
) throws -> String? {
  try Connection.open(file.path, disk: nil, key: key.flatMap { DatabaseKey($0) }).first(
    "PRAGMA integrity_check"
  ) { $0.text(0) }
}
