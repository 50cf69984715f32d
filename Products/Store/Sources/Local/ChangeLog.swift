import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// Which documents changed, for listeners in all processes: one row for each transaction, in the table `changes`.
///
/// Every change has a number. A row has the numbers from `first` to `sequence`.
enum ChangeLog {
  /// How many changes are kept; a listener that is further behind reads its query anew.
  static let kept: Int64 = 20_000

  /// The number of the newest change; 0 when there was none.
  static func newest(in database: Connection) throws -> Int64 {
    try database.first("SELECT max(sequence) FROM changes") { $0.integer(0) } ?? 0
  }

  /// Notes what a transaction changed.
  ///
  /// - Parameters:
  ///   - names: the documents' ids, by the numbers of their collections.
  ///   - last: the number of the newest change before.
  /// - Returns: the number of the newest change now.
  static func append(_ names: [Int64: [String]], after last: Int64, to database: Connection) throws -> Int64 {
    let count = names.reduce(0) { $0 + $1.value.count }
    guard count > 0 else { return last }
    let documents = Fields(names.reduce(into: [:]) { $0["\($1.key)"] = .array($1.value.map(Value.string)) })
    let newest = last + Int64(count)
    try database.run(
      "INSERT INTO changes (sequence, first, documents) VALUES (?, ?, ?)",
      [.integer(newest), .integer(last + 1), .blob(DocumentCoding.encode(documents))])
    // Once in a thousand changes is enough, however many a transaction makes.
    if newest / 1000 != last / 1000 {
      try database.run("DELETE FROM changes WHERE sequence <= ?", [.integer(newest - kept)])
    }
    return newest
  }

  /// Hands out the documents that changed after a change.
  ///
  /// - Returns: whether all of them are still known; nothing is handed out otherwise.
  static func forEach(
    after last: Int64, in database: Connection, _ body: (_ collection: Int64, _ name: String) throws -> Void
  ) throws -> Bool {
    let oldest = try database.first("SELECT first FROM changes ORDER BY sequence LIMIT 1") { $0.integer(0) }
    if let oldest, oldest > last + 1 { return false }
    try database.forEachRow("SELECT documents FROM changes WHERE sequence > ?", [.integer(last)]) { row in
      for entry in try DocumentCoding.decode(row.blob(0)).entries {
        guard let collection = Int64(entry.name), case .array(let names) = entry.value else { continue }
        for case .string(let name) in names { try body(collection, name) }
      }
      return true
    }
    return true
  }
}
