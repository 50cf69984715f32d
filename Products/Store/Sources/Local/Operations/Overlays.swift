import Foundation
import TenonDocuments
import TenonStoreInterop

/// Keeps what users see of a document in step with what the remote sent and with the pending writes of the user.
struct Overlays {
  let collections: CollectionTable
  let documents: DocumentTable
  let bases: BaseTable
  let queue: QueueTable
  let users: UserTable

  // MARK: - Reading

  /// Returns what the remote last sent of a document; `nil` if it sent nothing.
  func base(of path: ResourcePath) throws -> BaseDocument? {
    guard let collection = try collections.number(containing: path) else { return nil }
    return try base(of: path, in: collection, beside: documents.entry(of: path, in: collection))
  }

  /// - Parameter entry: the document as users see it.
  private func base(
    of path: ResourcePath, in collection: Int64, beside entry: DocumentTable.Entry?
  ) throws -> BaseDocument? {
    if let aside = try bases.base(of: path, in: collection) { return aside }
    guard let document = entry?.document, !document.hasLocalMutations else { return nil }
    return BaseDocument(
      content: .found(document.fields), createTime: document.createTime, version: document.updateTime,
      isCommitted: document.hasCommittedMutations)
  }

  /// Applies the user's pending writes to what the remote sent of a document.
  private func overlay(of path: ResourcePath, over base: BaseDocument?) throws -> DocumentOverlay {
    var overlay = DocumentOverlay(path, base)
    for batch in try queue.batches(writing: path, of: users.current) {
      for write in batch.writes where write.write.document == path {
        // A write that no longer fits is left to the remote, which will reject it.
        try? overlay.apply(write, at: batch.time)
      }
    }
    return overlay
  }

  // MARK: - Changing one document

  /// A document of the database to whose overlay writes are added.
  struct Draft {
    let collection: Int64
    /// What is stored now.
    fileprivate let entry: DocumentTable.Entry?
    fileprivate let base: BaseDocument?
    var overlay: DocumentOverlay
  }

  func draft(of path: ResourcePath, in transaction: WriteTransaction) throws -> Draft {
    let collection = try collections.number(containing: path, in: transaction)
    let entry = try documents.entry(of: path, in: collection)
    let base = try base(of: path, in: collection, beside: entry)
    let overlay =
      try entry.map { DocumentOverlay(path, $0.document, over: base) } ?? self.overlay(of: path, over: base)
    return Draft(collection: collection, entry: entry, base: base, overlay: overlay)
  }

  func save(_ draft: Draft, in transaction: WriteTransaction) throws {
    try save(
      draft.overlay, over: draft.base, in: draft.collection, replacing: draft.entry, in: transaction)
  }

  private func save(
    _ overlay: DocumentOverlay, over base: BaseDocument?, in collection: Int64,
    replacing old: DocumentTable.Entry?, in transaction: WriteTransaction
  ) throws {
    if !overlay.isChanged, case .found = base?.content {
      // Users see what the remote sent: one row is enough.
      try bases.put(nil, of: overlay.path, in: collection, in: transaction)
    } else {
      try bases.put(base, of: overlay.path, in: collection, in: transaction)
    }
    try documents.put(
      overlay.document, at: overlay.path, in: collection, replacing: old, in: transaction)
  }

  /// Saves what the remote sent of a document, and computes its overlay anew.
  func rebase(_ path: ResourcePath, on base: BaseDocument?, in transaction: WriteTransaction) throws {
    let overlay = try overlay(of: path, over: base)
    let collection = try collections.number(containing: path, in: transaction)
    let old = try documents.entry(of: path, in: collection)
    try save(overlay, over: base, in: collection, replacing: old, in: transaction)
  }

  // MARK: - Changing all documents of a user

  /// Makes a user's pending writes the ones that are shown and sent.
  func showWrites(of user: String?, in transaction: WriteTransaction) throws {
    let before = try queue.documents(of: users.current)
    var bases: [ResourcePath: BaseDocument?] = [:]
    for path in before.union(try queue.documents(of: user)) {
      bases.updateValue(try base(of: path), forKey: path)
    }
    try users.set(user, in: transaction)
    for (path, base) in bases { try rebase(path, on: base, in: transaction) }
  }
}
