import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// What a collection took away.
package struct CollectionResult: Sendable, Equatable {
  /// How many targets that nobody had listened to for long.
  package var targets = 0
  /// How many documents that nothing needed.
  package var documents = 0
}

extension LocalStore {
  /// Dates a document that has gained or lost what holds it.
  func use(_ path: ResourcePath) throws {
    switch collection {
    case .eager: released.insert(path)
    case .leastRecentlyUsed:
      let place = try place(of: path)
      try database.run(
        "INSERT OR REPLACE INTO uses (collection, name, sequence) VALUES (?, ?, ?)",
        [.integer(place.collection), .text(place.name), .integer(sequence)])
    }
  }

  /// Takes away the documents that the transaction has released and nothing else holds.
  func collectReleased() throws {
    for path in released where try !isHeld(path) { try forget(path) }
  }

  /// How large the database is, in bytes.
  func size() throws -> Int {
    let pages = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
    let free = try database.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0
    let size = try database.first("PRAGMA page_size") { $0.integer(0) } ?? 0
    return Int((pages - free) * size)
  }

  /// Takes away the targets and documents used least recently, if the database is larger than wanted.
  ///
  /// Documents stay that belong to a target, that a write waits for or that a view shows.
  ///
  /// - Parameters:
  ///   - threshold: the size in bytes from which on something is taken away.
  ///   - percent: how many of the targets and documents without a target at most, of 100.
  ///   - limit: how many at most.
  package func collect(over threshold: Int, percent: Int = 10, limit: Int = 1000) throws -> CollectionResult {
    guard try size() >= threshold else { return CollectionResult() }
    return try transaction(.collectGarbage) {
      // Documents without a target, by when they were last used.
      let unowned = """
        SELECT u.sequence FROM uses u WHERE NOT EXISTS \
        (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
        """
      let candidates = "SELECT sequence FROM targets UNION ALL \(unowned)"
      let count = Int(try database.first("SELECT count(*) FROM (\(candidates))") { $0.integer(0) } ?? 0)
      let wanted = min(count * percent / 100, limit)
      guard wanted > 0 else { return CollectionResult() }
      let bound =
        try database.first(
          "SELECT sequence FROM (\(candidates)) ORDER BY sequence LIMIT 1 OFFSET ?", [.integer(wanted - 1)]
        ) { $0.integer(0) } ?? 0
      var result = CollectionResult()
      let old = try database.rows("SELECT id FROM targets WHERE sequence <= ?", [.integer(bound)]) {
        Int($0.integer(0))
      }
      for id in old where targets[id] == nil {
        try removeTarget(id)
        result.targets += 1
      }
      let unused = try database.rows(
        """
        SELECT u.collection, u.name FROM uses u WHERE u.sequence <= ? AND NOT EXISTS \
        (SELECT 1 FROM target_documents t WHERE t.collection = u.collection AND t.name = u.name)
        """, [.integer(bound)]
      ) { try path(of: $0.integer(0)).appending($0.text(1)) }
      for path in unused where try !isHeld(path) {
        try forget(path)
        result.documents += 1
      }
      return result
    }
  }

  private func isHeld(_ path: ResourcePath) throws -> Bool {
    if viewed[path] != nil { return true }
    let place = try place(of: path)
    let bindings: [SQLValue] = [.integer(place.collection), .text(place.name)]
    return try database.first(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM target_documents WHERE collection = ?1 AND name = ?2) \
      OR EXISTS (SELECT 1 FROM batch_documents WHERE collection = ?1 AND name = ?2)
      """, bindings
    ) { _ in true } ?? false
  }

  private func forget(_ path: ResourcePath) throws {
    let place = try place(of: path)
    try refresh(path, on: nil)
    try database.run(
      "DELETE FROM uses WHERE collection = ? AND name = ?", [.integer(place.collection), .text(place.name)])
  }
}
