import TenonDocuments
import TenonStoreInterop

/// A document while the writes of this device are applied to what the remote said.
struct LocalView {
  let path: ResourcePath
  private(set) var fields: Fields?
  private var createTime: Timestamp
  private let version: Timestamp
  private let isCommitted: Bool
  private var pendingTimestamps: [PendingTimestamp] = []
  /// Whether a write has changed it.
  private(set) var isChanged = false

  init(_ path: ResourcePath, _ base: BaseDocument?) {
    self.path = path
    if case .found(let fields) = base?.content { self.fields = fields }
    createTime = base?.createTime ?? .zero
    version = base?.version ?? .zero
    isCommitted = base?.isCommitted ?? false
  }

  /// A document that may have writes applied already.
  init(_ path: ResourcePath, _ document: StoredDocument?, over base: BaseDocument?, isChanged: Bool) {
    self.init(path, base)
    fields = document?.fields
    pendingTimestamps = document?.pendingTimestamps ?? []
    self.isChanged = isChanged
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
