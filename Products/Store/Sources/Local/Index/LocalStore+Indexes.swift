import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  // MARK: - Declaring

  /// Makes these the indexes of the database. Those that weren't there are built by ``buildIndexes(limit:)``, and those that
  /// aren't wanted any more serve no query from now on.
  func declare(_ wanted: [CompositeIndex]) throws {
    for index in wanted { try index.check() }
    // Nothing to do is the rule, and takes no lock.
    try reading { try refreshIndexes() }
    guard Set(indexes.map(\.definition)) != Set(wanted) else { return }
    try transaction(.declareIndexes) {
      let present = indexes
      for index in present where !wanted.contains(index.definition) {
        try database.run(
          "UPDATE indexes SET state = ? WHERE id = ?",
          [.integer(DeclaredIndex.State.dropped.rawValue), .integer(index.number)])
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      var added = Set(present.map(\.definition))
      for index in wanted where added.insert(index).inserted {
        let total = try database.first(
          """
          SELECT count(*) FROM collections c CROSS JOIN documents d ON d.collection = c.id WHERE c.collection_id = ?
          """, [.text(index.collectionID)]
        ) { $0.integer(0) }
        try database.run(
          """
          INSERT INTO indexes (definition, collection_id, state, collection, key, documents, total) \
          VALUES (?, ?, ?, 0, x'', 0, ?)
          """,
          [
            .blob(try encoder.encode(index)), .text(index.collectionID),
            .integer(DeclaredIndex.State.building.rawValue), .integer(total ?? 0),
          ])
      }
      try noteIndexChange()
    }
  }

  /// Takes in what another process has declared, built or dropped. It is called in each transaction, so that all that
  /// follows in it keeps and reads the same indexes.
  func refreshIndexes() throws {
    let generation = try database.first("SELECT value FROM globals WHERE name = 'indexes'") { $0.integer(0) }
    try refreshIndexes(generation ?? 0)
  }

  /// - Parameter generation: how often the declared indexes have changed.
  func refreshIndexes(_ generation: Int64) throws {
    guard generation != indexGeneration else { return }
    indexes = try database.rows(
      "SELECT id, definition, state FROM indexes WHERE state <> ? ORDER BY id",
      [.integer(DeclaredIndex.State.dropped.rawValue)]
    ) { row in
      DeclaredIndex(
        number: row.integer(0), definition: try JSONDecoder().decode(CompositeIndex.self, from: row.blob(1)),
        state: DeclaredIndex.State(rawValue: row.integer(2)) ?? .building)
    }
    indexGeneration = generation
  }

  private func noteIndexChange() throws {
    try setGlobal("indexes", .integer((try global("indexes").integer ?? 0) + 1))
    try refreshIndexes()
  }

  /// The indexes of the database, and how far they are.
  func indexProgress() throws -> [IndexProgress] {
    try reading {
      try refreshIndexes()
      return try indexes.compactMap { index in
        try database.first("SELECT documents, total FROM indexes WHERE id = ?", [.integer(index.number)]) {
          IndexProgress(
            index: index.definition, isComplete: index.state == .complete, documents: Int($0.integer(0)),
            total: Int($0.integer(1)))
        }
      }
    }
  }

  // MARK: - Keeping

  /// Brings the declared indexes up to date with a document's change.
  func updateDeclaredIndexes(
    from old: Fields?, to new: Fields?, at path: ResourcePath, collection: Int64, document: Int64
  ) throws {
    guard !indexes.isEmpty, let parent = path.parent else { return }
    for index in indexes where index.definition.concerns(parent) {
      let before = old.map(index.values) ?? []
      let after = new.map(index.values) ?? []
      guard before != after else { continue }
      let key = index.key(of: path)
      for value in before.subtracting(after) {
        try database.run(
          "DELETE FROM index_entries WHERE idx = ? AND collection = ? AND value = ? AND key = ?",
          [.integer(index.number), .integer(index.collection(collection)), .blob(value), .blob(key)])
      }
      for value in after.subtracting(before) {
        try insert(value, key, into: index, collection: collection, document: document)
      }
    }
  }

  private func insert(
    _ value: Data, _ key: Data, into index: DeclaredIndex, collection: Int64, document: Int64
  ) throws {
    try database.run(
      "INSERT OR REPLACE INTO index_entries (idx, collection, value, key, document) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(index.number), .integer(index.collection(collection)), .blob(value), .blob(key),
        .integer(document),
      ])
  }

  // MARK: - Building

  /// One step of building what was declared, or of taking away what was dropped, in a transaction of its own.
  ///
  /// How far it has come is kept with it, so that after a crash the next step goes on.
  ///
  /// - Parameter limit: how many documents at most, because other writers wait meanwhile.
  /// - Returns: whether there is more to do.
  func buildIndexes(limit: Int = 500) throws -> Bool {
    // Nothing to do is the rule, and takes no lock.
    guard try hasIndexWork() else { return false }
    return try transaction(.buildIndexes) {
      if let index = indexes.first(where: { $0.state == .building }) {
        try build(index, limit: limit)
      } else {
        try removeDroppedEntries(limit: limit * 4)
      }
      return try hasIndexWork()
    }
  }

  private func hasIndexWork() throws -> Bool {
    try database.first(
      "SELECT 1 FROM indexes WHERE state <> ?", [.integer(DeclaredIndex.State.complete.rawValue)]
    ) { _ in true } ?? false
  }

  private func build(_ index: DeclaredIndex, limit: Int) throws {
    var (collection, key, count): (Int64, Data, Int) =
      try database.first(
        "SELECT collection, key, documents FROM indexes WHERE id = ?", [.integer(index.number)]
      ) { ($0.integer(0), $0.blob(1), Int($0.integer(2))) } ?? (0, Data(), 0)
    var left = limit
    var isComplete = false
    while left > 0 {
      if collection != 0 {
        let parent = try path(of: collection)
        try database.forEachRow(
          """
          SELECT \(Self.documentColumns), d.id, d.key FROM documents d \
          WHERE d.collection = ? AND d.key > ? ORDER BY d.key LIMIT ?
          """, [.integer(collection), .blob(key), .integer(left)]
        ) { row in
          let document = try document(row, in: parent)
          for value in index.values(of: document.fields) {
            try insert(
              value, index.key(of: document.path), into: index, collection: collection,
              document: row.integer(6))
          }
          key = row.blob(7)
          left -= 1
          count += 1
          return true
        }
      }
      guard left > 0 else { break }
      let next = try database.first(
        "SELECT min(id) FROM collections WHERE collection_id = ? AND id > ?",
        [.text(index.definition.collectionID), .integer(collection)]
      ) { $0.optionalInteger(0) }
      guard let next = next ?? nil else {
        isComplete = true
        break
      }
      (collection, key) = (next, Data())
      // Collections without documents are work too.
      left -= 1
    }
    let state: DeclaredIndex.State = isComplete ? .complete : .building
    try database.run(
      "UPDATE indexes SET state = ?, collection = ?, key = ?, documents = ? WHERE id = ?",
      [.integer(state.rawValue), .integer(collection), .blob(key), .integer(count), .integer(index.number)])
    if isComplete { try noteIndexChange() }
  }

  private func removeDroppedEntries(limit: Int) throws {
    let dropped = try database.first(
      "SELECT id FROM indexes WHERE state = ? LIMIT 1", [.integer(DeclaredIndex.State.dropped.rawValue)]
    ) { $0.integer(0) }
    guard let dropped else { return }
    try database.run(
      """
      DELETE FROM index_entries WHERE (idx, collection, value, key) IN \
      (SELECT idx, collection, value, key FROM index_entries WHERE idx = ? LIMIT ?)
      """, [.integer(dropped), .integer(limit)])
    if database.changes < limit {
      try database.run("DELETE FROM indexes WHERE id = ?", [.integer(dropped)])
    }
  }
}
