import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop
import TenonValues

/// Saves the documents and named queries of bundles. Documents are saved as if the remote had sent them, so
/// that a bundle never replaces a newer state.
struct BundleLoading {
  let bundles: BundleTable
  let targets: TargetTable
  let events: RemoteEventSaving

  /// The number of documents between two progress reports.
  private static let page = 100

  /// Saves the documents of a bundle, all or none.
  ///
  /// As in Firestore's clients, they belong to a target of the bundle, which is active until the database is
  /// closed, so that the garbage collector doesn't delete them before they are used. Afterwards, they are
  /// collected like the documents of any target that wasn't used recently, and loading the same bundle again
  /// doesn't restore them. The documents of an older bundle with the same ID are removed from the target
  /// first.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - umbrella: the target to which the documents belong; see ``umbrella(of:)``.
  ///   - report: called with the number of documents so far, after every hundred.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the bundle concerns a collection
  ///   that exists only on this device; `CancellationError` if the task is cancelled; `SQLiteError`; an error
  ///   if a stored document can't be decoded.
  func saveDocuments(
    of bundle: Bundle, in umbrella: TargetData, reporting report: (Int) -> Void,
    in transaction: WriteTransaction
  ) throws {
    try check(bundle)
    try targets.remove(try targets.documents(of: umbrella.id), from: umbrella.id, in: transaction)
    try targets.add(
      bundle.documents.filter { !$0.isMissing }.map(\.path), to: umbrella.id, in: transaction)
    for (index, document) in bundle.documents.enumerated() {
      if index.isMultiple(of: Self.page) {
        try Task.checkCancellation()
        if index > 0 { report(index) }
      }
      try events.saveDocument(document.base, at: document.path, in: transaction)
    }
  }

  /// Checks that a bundle doesn't concern collections that exist only on this device.
  private func check(_ bundle: Bundle) throws {
    let local = events.localCollections
    guard !local.ids.isEmpty else { return }
    let document = bundle.documents.first { local.contains($0.path) }?.path.parent?.id
    let query = try bundle.queries.lazy.map { try BundledQuery($0.json).structure.collectionID }.first {
      local.ids.contains($0)
    }
    guard let id = document ?? query else { return }
    throw StoreError(
      .failedPrecondition,
      "The bundle \(bundle.id) has documents or queries of the collection \"\(id)\", which exists only on this device. "
        + "Nothing was loaded; remove the collection from the bundle.")
  }

  /// Returns the target to which the documents of a bundle belong. It has the form of a document that can't
  /// exist, because IDs with two underscores at both ends are reserved. It isn't requested from the remote.
  static func umbrella(of bundle: Bundle) -> SyncTarget {
    .document(ResourcePath(segments: ["__bundle__", bundle.id]))
  }

  /// Saves a named query as a target whose state is that of the bundle, so that a listener resumes from the
  /// bundle's documents. If the target has a newer state already, it stays as it is.
  ///
  /// - Parameters:
  ///   - query: the named query.
  ///   - bundle: the bundle, whose documents have been saved.
  ///   - target: the active target of the query.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`.
  func save(
    _ query: Bundle.Query, of bundle: Bundle, as target: TargetData, in transaction: WriteTransaction
  ) throws {
    var data = target
    if query.readTime.compare(data.version) > 0 {
      data.token = Data()
      data.version = query.readTime
      targets.update(data)
      try targets.save(data, in: transaction)
      try targets.remove(try targets.documents(of: data.id), from: data.id, in: transaction)
      let documents = bundle.documents.filter { $0.queries.contains(query.name) && !$0.isMissing }
      try targets.add(documents.map(\.path), to: data.id, in: transaction)
    }
    try bundles.insert(query, in: transaction)
  }
}

extension Bundle {
  /// Checks that all named queries can be decoded, before anything is saved.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if one can't, or breaks a rule of
  ///   queries.
  func checkQueries() throws {
    for query in queries {
      do { _ = try query.target() } catch {
        throw StoreError(
          .invalidArgument,
          "The bundle's query \(query.name) can't be read. Nothing was loaded; download the bundle again.",
          underlying: error)
      }
    }
  }
}

extension Bundle.Query {
  /// Returns the target that a listener to the query uses.
  ///
  /// - Throws: the error of decoding the query; ``StoreError`` with ``StoreError/Code/invalidArgument`` if it
  ///   breaks a rule.
  func target() throws -> SyncTarget {
    let bundled = try BundledQuery(json)
    return .query(try RunnableQuery(bundled.structure, isLimitedToLast: bundled.isLimitedToLast).run)
  }
}
