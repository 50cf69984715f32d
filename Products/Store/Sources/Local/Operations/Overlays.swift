import Foundation
import TenonDocuments
import TenonStoreInterop

/// Keeps the documents that users see consistent with what the remote sent and with the pending writes of the current user.
struct Overlays {
  let collections: CollectionTable
  let documents: DocumentTable
  let bases: BaseTable
  let queue: QueueTable
  let users: UserTable

  // MARK: - Reading

  /// Returns the last state of a document that the remote sent; `nil` if it sent none.
  func base(of path: ResourcePath) throws -> BaseDocument? {
    guard let collection = try collections.number(containing: path) else { return nil }
    return try base(of: path, in: collection, beside: documents.entry(of: path, in: collection))
  }

  /// - Parameter entry: the document as users see it. Without pending writes, it is also the base.
  private func base(
    of path: ResourcePath, in collection: Int64, beside entry: DocumentTable.Entry?
  ) throws -> BaseDocument? {
    if let aside = try bases.base(of: path, in: collection) { return aside }
    guard let document = entry?.document, !document.hasLocalMutations else { return nil }
    return BaseDocument(
      content: .found(document.fields), createTime: document.createTime, version: document.updateTime,
      isCommitted: document.hasCommittedMutations)
  }

  /// Applies the current user's pending writes to the base of a document.
  private func overlay(of path: ResourcePath, over base: BaseDocument?) throws -> DocumentOverlay {
    var overlay = DocumentOverlay(path, base)
    for batch in try queue.batches(writing: path, of: users.current) {
      for write in batch.writes where write.write.document == path {
        // A write that can no longer be applied is left to the remote, which rejects it.
        try? overlay.apply(write, at: batch.time)
      }
    }
    return overlay
  }

  // MARK: - Changing one document

  /// A document to whose overlay writes are being added.
  struct Draft {
    let collection: Int64
    /// The stored row.
    fileprivate let entry: DocumentTable.Entry?
    fileprivate let base: BaseDocument?
    var overlay: DocumentOverlay
  }

  /// Returns the draft of a document in its current state.
  func draft(of path: ResourcePath, in transaction: WriteTransaction) throws -> Draft {
    let collection = try collections.number(containing: path, in: transaction)
    let entry = try documents.entry(of: path, in: collection)
    let base = try base(of: path, in: collection, beside: entry)
    let overlay =
      try entry.map { DocumentOverlay(path, $0.document, over: base) } ?? self.overlay(of: path, over: base)
    return Draft(collection: collection, entry: entry, base: base, overlay: overlay)
  }

  /// Saves the overlay of a draft.
  func save(_ draft: Draft, in transaction: WriteTransaction) throws {
    try save(
      draft.overlay, over: draft.base, in: draft.collection, replacing: draft.entry, in: transaction)
  }

  /// Saves an overlay, and the base if it differs from the overlay.
  private func save(
    _ overlay: DocumentOverlay, over base: BaseDocument?, in collection: Int64,
    replacing old: DocumentTable.Entry?, in transaction: WriteTransaction
  ) throws {
    if !overlay.isChanged, case .found = base?.content {
      // Users see what the remote sent, so the row in `documents` suffices.
      try bases.put(nil, of: overlay.path, in: collection, in: transaction)
    } else {
      try bases.put(base, of: overlay.path, in: collection, in: transaction)
    }
    try documents.put(
      overlay.document, at: overlay.path, in: collection, replacing: old, in: transaction)
  }

  /// Saves the last state of a document that the remote sent, and recomputes its overlay.
  func rebase(_ path: ResourcePath, on base: BaseDocument?, in transaction: WriteTransaction) throws {
    let overlay = try overlay(of: path, over: base)
    let collection = try collections.number(containing: path, in: transaction)
    let old = try documents.entry(of: path, in: collection)
    try save(overlay, over: base, in: collection, replacing: old, in: transaction)
  }

  // MARK: - Changing all documents of a user

  /// Switches to a user, whose pending writes are shown and sent from then on, and recomputes the overlays of all documents that
  /// either user writes to.
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
