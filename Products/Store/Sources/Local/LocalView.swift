import TenonDocuments
import TenonStoreInterop

/// A document while the writes of this device are applied to what the remote said.
struct LocalView {
  let path: ResourcePath
  private(set) var fields: Fields?
  private var createTime: Timestamp
  private let version: Timestamp
  private let isCommitted: Bool
  /// What the remote last said of it; `nil` when it said nothing.
  private let content: BaseDocument.Content?
  private var pendingTimestamps: [PendingTimestamp] = []
  /// Whether a write has changed it.
  private(set) var isChanged = false

  init(_ path: ResourcePath, _ base: BaseDocument?) {
    self.path = path
    content = base?.content
    if case .found(let fields) = content { self.fields = fields }
    createTime = base?.createTime ?? .zero
    version = base?.version ?? .zero
    isCommitted = base?.isCommitted ?? false
  }

  /// A document that is there, and may have writes applied already.
  init(_ path: ResourcePath, _ document: StoredDocument, over base: BaseDocument?) {
    self.init(path, base)
    fields = document.fields
    pendingTimestamps = document.pendingTimestamps
    isChanged = document.hasLocalMutations
  }

  /// What users see.
  var document: StoredDocument? {
    fields.map {
      StoredDocument(
        path: path, fields: $0, createTime: createTime, updateTime: isChanged ? .zero : version,
        hasLocalMutations: isChanged,
        hasCommittedMutations: !isChanged && isCommitted, pendingTimestamps: pendingTimestamps)
    }
  }

  /// Applies a write, unless what it expects isn't so; the remote decides in the end.
  mutating func apply(_ local: LocalWrite, at moment: Timestamp) throws(DocumentError) {
    let write = local.write
    switch write.precondition {
    case .exists(let expected) where expected != (fields != nil): return
    case .updated(let expected) where fields == nil || expected != version: return
    default: break
    }
    isChanged = true
    guard var old = fields else {
      pendingTimestamps = []
      fields = try write.result(on: nil, at: moment)
      note(write, on: nil)
      return
    }
    let before = fields
    for base in local.bases { old[base.field] = base.value }
    fields = try write.result(on: old, at: moment)
    note(write, on: before)
  }

  private mutating func note(_ write: DocumentWrite, on before: Fields?) {
    switch write.operation {
    case .set, .delete: pendingTimestamps = []
    case .update(_, let mask):
      pendingTimestamps.removeAll { pending in mask.contains { $0.isPrefix(of: pending.field) } }
    }
    for transform in write.transforms {
      pendingTimestamps.removeAll { $0.field == transform.field }
      guard case .serverTimestamp = transform.kind else { continue }
      pendingTimestamps.append(PendingTimestamp(field: transform.field, previous: before?[transform.field]))
    }
  }
}

/// What this device knows of a document before the remote is asked.
extension LocalView {
  /// Whether the document exists when the writes of this device have been applied; `nil` when only the remote can know.
  private var exists: Bool? {
    if fields != nil { return true }
    if isChanged { return false }
    return switch content {
    case .missing: false
    case .found, .unknown: true
    case nil: nil
    }
  }

  /// Throws if this device knows that the remote would refuse a write.
  ///
  /// What the remote last said of the document counts as known, and so do the writes that wait, which are sent before.
  /// Versions only grow, so a version older than the last one, or than a write that waits, has passed for certain. A newer
  /// one, and a document of which nothing is known, are left to the remote.
  ///
  /// - Parameters:
  ///   - write: the write.
  ///   - isInLimbo: whether the remote is asked at the moment if the document still exists.
  /// - Throws: ``StoreError``.
  func check(_ write: DocumentWrite, isInLimbo: Bool) throws {
    switch write.precondition {
    case .exists:
      guard let exists, !isInLimbo || isChanged else { return }
      try write.checkPrecondition(exists: exists, updated: nil)
    case .updated(let expected):
      if isChanged || hasPassed(expected) { throw write.changedSinceRead }
    case nil: break
    }
  }

  private func hasPassed(_ expected: Timestamp) -> Bool {
    let (known, expected) = (version.microsecondsSince1970, expected.microsecondsSince1970)
    return switch content {
    case .found, .unknown: expected < known
    // It was missing at that moment, so it can't have had the version and have it again.
    case .missing: expected <= known
    case nil: false
    }
  }
}
