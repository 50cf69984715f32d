import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// Whether this bundle, or a newer one of the same id, was loaded already.
  func hasLoaded(_ bundle: Bundle) throws -> Bool {
    let created = try database.first("SELECT created FROM bundles WHERE id = ?", [.text(bundle.id)]) {
      $0.integer(0)
    }
    return created.map { $0 >= bundle.createTime.microsecondsSince1970 } ?? false
  }

  /// How many documents are taken in between two reports.
  private static let bundlePage = 100

  /// Takes in the documents of a bundle, all or none. They stay as long as the bundle isn't replaced.
  ///
  /// - Parameter report: called with how many have been taken in, after so many each time.
  /// - Throws: `CancellationError` when the task is cancelled meanwhile.
  func loadDocuments(of bundle: Bundle, reporting report: (Int) -> Void) throws -> Outcome<Void> {
    let umbrella = try allocate(.document(ResourcePath(segments: ["__bundle__", bundle.id])))
    return try changing(.loadBundle) {
      try removeKeys(try keys(of: umbrella.id), from: umbrella.id)
      try addKeys(bundle.documents.filter { !$0.isMissing }.map(\.path), to: umbrella.id)
      for (index, document) in bundle.documents.enumerated() {
        if index.isMultiple(of: Self.bundlePage) {
          try Task.checkCancellation()
          if index > 0 { report(index) }
        }
        try apply(document.base, at: document.path)
      }
    }
  }

  /// Keeps the queries of a bundle, so that listening to them continues from what it brought.
  func saveQueries(of bundle: Bundle) throws {
    for query in bundle.queries {
      var data = try allocate(try query.target())
      let documents = bundle.documents.filter { $0.queries.contains(query.name) && !$0.isMissing }.map(\.path)
      try transaction(.saveNamedQuery) {
        if query.readTime.compare(data.version) > 0 {
          data.token = Data()
          data.version = query.readTime
          targets[data.id] = data
          try save(data)
          try removeKeys(try keys(of: data.id), from: data.id)
          try addKeys(documents, to: data.id)
        }
        try database.run(
          "INSERT OR REPLACE INTO named_queries (name, read, query) VALUES (?, ?, ?)",
          [.text(query.name), .integer(query.readTime.microsecondsSince1970), .blob(query.json)])
      }
    }
  }

  /// Notes that a bundle has been loaded.
  func note(_ bundle: Bundle) throws {
    try transaction(.loadBundle) {
      try database.run(
        "INSERT OR REPLACE INTO bundles (id, created) VALUES (?, ?)",
        [.text(bundle.id), .integer(bundle.createTime.microsecondsSince1970)])
    }
  }

  /// A query that a bundle brought; `nil` when none did.
  func namedQuery(_ name: String) throws -> BundledQuery? {
    try database.first("SELECT query FROM named_queries WHERE name = ?", [.text(name)]) { $0.blob(0) }
      .map { try BundledQuery($0) }
  }
}

extension Bundle {
  /// Checks what is only needed once the documents have been taken in.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument``.
  func checkQueries() throws {
    for query in queries {
      do { _ = try query.target() } catch {
        throw StoreError(
          .invalidArgument,
          "The bundle's query \(query.name) can't be read. Nothing was loaded; get the bundle anew.",
          underlying: error)
      }
    }
  }
}

extension Bundle.Query {
  /// What a listening to the query asks the remote for.
  func target() throws -> SyncTarget {
    let bundled = try BundledQuery(json)
    return .query(try RunnableQuery(bundled.structure, isLimitedToLast: bundled.isLimitedToLast).run)
  }
}
