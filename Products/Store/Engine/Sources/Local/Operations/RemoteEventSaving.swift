import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// The changes of all targets up to a consistent snapshot of the remote.
package struct RemoteEvent {
  /// The timestamp of the snapshot; 0 if there is none, because the lookup of a single document failed.
  var version: Timestamp
  /// The changes of targets by their IDs: documents that were added to, modified in, or removed from them,
  /// and new tokens.
  var targetChanges: [Int: TargetState.Change] = [:]
  /// The targets with an existence filter mismatch, and the purpose with which each is requested again.
  var mismatches: [Int: ListenTarget.Purpose] = [:]
  /// The new states of documents; a missing document whose version is 0 is one that the user may no longer
  /// read.
  var documents: [ResourcePath: BaseDocument] = [:]
  /// The documents that were requested only as limbo documents.
  var resolvedLimboDocuments: Set<ResourcePath> = []
}

/// Saves the events of the remote. It follows the local store of the Firestore SDKs: target states are saved
/// with the documents that they describe, so that a token never resumes after a change that wasn't saved.
struct RemoteEventSaving {
  let targets: TargetTable
  let uses: UseTable
  let overlays: Overlays
  let localCollections: LocalCollections

  /// The age of a saved token, in microseconds, from which a newer one is saved although nothing else must be
  /// written: five minutes.
  private static let tokenAge: Int64 = 5 * 60 * 1_000_000

  /// Saves an event. A document is never replaced by an older version. Documents of collections that exist
  /// only on this device are ignored: they are others than those of the remote.
  ///
  /// - Parameters:
  ///   - event: the event. Changes of targets that aren't active are ignored.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func save(_ event: RemoteEvent, in transaction: WriteTransaction) throws {
    for (id, change) in event.targetChanges { try saveTarget(id, change, event, in: transaction) }
    for (path, document) in event.documents where !localCollections.contains(path) {
      if event.resolvedLimboDocuments.contains(path) { try uses.touch(path, in: transaction) }
      try saveDocument(document, at: path, in: transaction)
    }
    if event.version != .zero { try targets.setRemoteVersion(event.version, in: transaction) }
  }

  /// Saves the changes of a target and its new resume token. After a mismatch, the token is discarded, so
  /// that the remote sends the whole target again.
  ///
  /// The row of the target is written only if its documents have changed, it had no token, or the saved
  /// version is older by ``tokenAge``. Otherwise the new token is kept in memory, and a process that ends
  /// before the target is released leaves the saved one. Firestore's clients compare the new version with the
  /// one before it instead, so that a target whose version advances in small steps keeps an old token.
  private func saveTarget(
    _ id: Int, _ change: TargetState.Change, _ event: RemoteEvent, in transaction: WriteTransaction
  ) throws {
    guard let old = targets.active(id) else { return }
    let changed = [change.added, change.modified, change.removed].joined()
    if changed.contains(where: localCollections.contains) {
      // They aren't saved, so a later listener must not resume after them.
      try targets.remove(id, in: transaction)
      return
    }
    let isReset = event.mismatches[id] != nil
    // Another process may have deleted the target with the list of its documents. A new list would be
    // incomplete, so nothing is saved until the target is sent as a whole; see
    // ``SyncEngine/readForeignChanges()``.
    let isSaved = try isReset || targets.isSaved(id)
    if isSaved {
      try targets.remove(change.removed, from: id, in: transaction)
      try targets.add(change.added, to: id, in: transaction)
    }
    var data = old
    data.sequence = transaction.number
    if isReset {
      data.token = Data()
      data.version = .zero
      data.completeVersion = .zero
    } else if !change.token.isEmpty {
      data.token = change.token
      data.version = event.version
    }
    targets.update(data)
    guard isSaved else { return }
    let saved = targets.savedVersion(of: id)
    let isOld = data.version.microsecondsSince1970 - saved.microsecondsSince1970 >= Self.tokenAge
    if isReset || old.token.isEmpty || isOld || !change.added.isEmpty || !change.modified.isEmpty
      || !change.removed.isEmpty
    {
      try targets.save(data, in: transaction)
    }
  }

  /// Saves a document that the remote sent, unless a newer version is known. The same version replaces the
  /// result of an acknowledged write, and is otherwise ignored.
  ///
  /// - Parameters:
  ///   - document: the new state.
  ///   - path: the document.
  ///   - transaction: the transaction.
  /// - Throws: `SQLiteError`; an error if a stored document or batch can't be decoded.
  func saveDocument(_ document: BaseDocument, at path: ResourcePath, in transaction: WriteTransaction) throws
  {
    let old = try overlays.base(of: path)
    if case .missing = document.content, document.version == .zero {
      // The user lost access, so the state of the document is unknown.
      try overlays.rebase(path, on: nil, in: transaction)
      return
    }
    if let old {
      let order = document.version.compare(old.version)
      guard order > 0 || (order == 0 && old.isCommitted) else { return }
    }
    try overlays.rebase(path, on: document, in: transaction)
    try uses.touch(path, in: transaction)
  }

  /// Returns whether the remote has already sent the same version of a document; for a missing document,
  /// whether it is known to be missing, at any version.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if the document can't be decoded;
  ///   `SQLiteError`.
  func isKnown(_ document: RemoteDocument) throws -> Bool {
    guard let base = try overlays.base(of: document.path) else { return false }
    switch (base.content, document.fields) {
    case (.missing, nil): return true
    case (.found, .some): return !base.isCommitted && base.version == document.updateTime
    default: return false
    }
  }
}
