import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The changes of all targets up to a consistent snapshot of the remote.
package struct RemoteEvent {
  /// The timestamp of the snapshot; 0 if there is none, because the lookup of a single document failed.
  var version: Timestamp
  var targetChanges: [Int: TargetState.Change] = [:]
  /// The targets with an existence filter mismatch, and the purpose with which each is requested again.
  var mismatches: [Int: ListenTarget.Purpose] = [:]
  var documents: [ResourcePath: BaseDocument] = [:]
  /// The documents that were requested only as limbo documents.
  var resolvedLimboDocuments: Set<ResourcePath> = []
}

/// Saves the events of the remote.
struct RemoteEventSaving {
  let targets: TargetTable
  let uses: UseTable
  let overlays: Overlays

  /// The maximum age difference, in microseconds, between a saved resume token and a newer one that is not saved if nothing else
  /// must be written: five minutes.
  private static let tokenAge: Int64 = 5 * 60 * 1_000_000

  /// Saves an event. A document is never replaced by an older version.
  func save(_ event: RemoteEvent, in transaction: WriteTransaction) throws {
    for (id, change) in event.targetChanges { try saveTarget(id, change, event, in: transaction) }
    for (path, document) in event.documents {
      if event.resolvedLimboDocuments.contains(path) { try uses.touch(path, in: transaction) }
      try saveDocument(document, at: path, in: transaction)
    }
    if event.version != .zero { try targets.setRemoteVersion(event.version, in: transaction) }
  }

  /// Saves the changes of a target and its new resume token.
  private func saveTarget(
    _ id: Int, _ change: TargetState.Change, _ event: RemoteEvent, in transaction: WriteTransaction
  ) throws {
    guard let old = targets.active(id) else { return }
    try targets.remove(change.removed, from: id, in: transaction)
    try targets.add(change.added, to: id, in: transaction)
    var data = old
    data.sequence = transaction.number
    if event.mismatches[id] != nil {
      data.token = Data()
      data.version = .zero
      data.completeVersion = .zero
    } else if !change.token.isEmpty {
      data.token = change.token
      data.version = event.version
    }
    targets.update(data)
    let isOld = data.version.microsecondsSince1970 - old.version.microsecondsSince1970 >= Self.tokenAge
    if old.token.isEmpty || isOld || !change.added.isEmpty || !change.modified.isEmpty
      || !change.removed.isEmpty
    {
      try targets.save(data, in: transaction)
    }
  }

  /// Saves a document that the remote sent, unless a newer version is known.
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

  /// Returns whether the remote has already sent the same version of a document.
  func isKnown(_ document: RemoteDocument) throws -> Bool {
    guard let base = try overlays.base(of: document.path) else { return false }
    switch (base.content, document.fields) {
    case (.missing, nil): return true
    case (.found, .some): return !base.isCommitted && base.version == document.updateTime
    default: return false
    }
  }
}
