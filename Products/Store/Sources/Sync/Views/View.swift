import TenonDocuments
import TenonStoreInterop

/// The present result of a query, and how it stands to what the remote says.
///
/// The work of a change grows with what changed, not with the result or the collection; only a result that becomes
/// complete is looked through as a whole.
struct View {
  /// What changes of documents come to in this view.
  struct DocumentChanges {
    var documents: DocumentSet
    var changes: ViewChanges
    var mutated: Set<ResourcePath>
    /// The documents whose writes the remote has confirmed, but which it hasn't sent since: they are shown as they were.
    var unconfirmed: [ResourcePath: StoredDocument]
    /// Whether the result has to be read anew: a document has left a result that was full, and another may take its place.
    var needsRefill: Bool
  }

  /// What a change comes to for those outside.
  struct Change {
    var snapshot: ViewSnapshot?
    var limbo = LimboChanges()
  }

  /// Documents that the result holds and the remote hasn't confirmed, since the last change.
  struct LimboChanges {
    var added: [ResourcePath] = []
    var removed: [ResourcePath] = []
  }

  let query: ViewQuery
  private(set) var documents: DocumentSet
  /// The documents that the remote has said belong to the result.
  private(set) var synced: Set<ResourcePath>
  private var mutated: Set<ResourcePath> = []
  private var unconfirmed: [ResourcePath: StoredDocument] = [:]
  /// The last moment on which all targets agreed.
  private var version = Timestamp.zero
  private var limbo: Set<ResourcePath> = []
  /// Whether the remote has sent the whole result.
  private(set) var isCurrent = false
  /// `nil` before the first snapshot.
  private var isFromCache: Bool?
  /// Whether a remote has anything to say at all.
  private let isShared: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - synced: the documents that the remote has said belong to it.
  ///   - isShared: whether there is a remote. Without one, what is here is the truth.
  init(_ query: ViewQuery, synced: Set<ResourcePath>, isShared: Bool) {
    self.query = query
    self.synced = synced
    self.isShared = isShared
    documents = DocumentSet(order: query.order)
  }

  // MARK: - Documents

  /// Whether a change of a document can mean anything to the view.
  func isConcerned(by path: ResourcePath, _ document: StoredDocument?) -> Bool {
    documents.contains(path) || document.map(query.matches) ?? false
  }

  /// What changes of documents come to; the view stays as it is.
  ///
  /// - Parameters:
  ///   - changed: the documents that changed; `nil` for those that are gone.
  ///   - earlier: changes that come before these and weren't applied yet.
  func changes(
    for changed: [ResourcePath: StoredDocument?], after earlier: DocumentChanges? = nil
  ) -> DocumentChanges {
    let before = earlier?.documents ?? documents
    var result = DocumentChanges(
      documents: before, changes: earlier?.changes ?? ViewChanges(), mutated: earlier?.mutated ?? mutated,
      unconfirmed: earlier?.unconfirmed ?? unconfirmed, needsRefill: false)
    let limit = query.limit
    let isFull = limit.map { before.count == $0 } ?? false
    // The document beyond which others may wait for a place.
    let edge = !isFull ? nil : query.isLimitedToLast ? before.first : before.last
    for (path, document) in changed {
      let old = before[path]
      let new = document.flatMap { query.matches($0) ? $0 : nil }
      let hadPending = old != nil && result.mutated.contains(path)
      let hasPending =
        new.map { $0.hasLocalMutations || (result.mutated.contains(path) && $0.hasCommittedMutations) }
        ?? false
      var isApplied = false
      result.unconfirmed[path] = nil
      switch (old, new) {
      case (let old?, let new?):
        if old.fields != new.fields {
          // What was just confirmed is told once the remote has sent it back.
          if old.hasLocalMutations, new.hasCommittedMutations, !new.hasLocalMutations {
            result.unconfirmed[path] = new
          } else {
            result.changes.track(.modified, new)
            isApplied = true
            if let edge {
              let order = before.compare(new, edge)
              if query.isLimitedToLast ? order < 0 : order > 0 { result.needsRefill = true }
            }
          }
        } else if hadPending != hasPending {
          result.changes.track(.metadata, new)
          isApplied = true
        } else if new.hasCommittedMutations, !new.hasLocalMutations {
          result.unconfirmed[path] = new
        }
      case (nil, let new?):
        result.changes.track(.added, new)
        isApplied = true
      case (let old?, nil):
        result.changes.track(.removed, old)
        isApplied = true
        if isFull { result.needsRefill = true }
      case (nil, nil): break
      }
      guard isApplied else { continue }
      if let new {
        result.documents.add(new)
        if hasPending { result.mutated.insert(path) } else { result.mutated.remove(path) }
      } else {
        result.documents.remove(path)
        result.mutated.remove(path)
      }
    }
    while let limit, result.documents.count > limit,
      let surplus = query.isLimitedToLast ? result.documents.first : result.documents.last
    {
      result.documents.remove(surplus.path)
      result.mutated.remove(surplus.path)
      result.unconfirmed[surplus.path] = nil
      result.changes.track(.removed, surplus)
    }
    return result
  }

  /// The changes that lead to a result that was read anew.
  func changes(toward documents: [StoredDocument], after earlier: DocumentChanges? = nil) -> DocumentChanges {
    var changed: [ResourcePath: StoredDocument?] = [:]
    for document in (earlier?.documents ?? self.documents).documents {
      changed.updateValue(nil, forKey: document.path)
    }
    for document in documents { changed.updateValue(document, forKey: document.path) }
    return changes(for: changed, after: earlier)
  }

  // MARK: - Applying

  /// Applies changes of documents and of the target.
  ///
  /// - Parameters:
  ///   - changes: what ``changes(for:after:)`` gave.
  ///   - target: what the remote said of the target.
  ///   - isPendingReset: whether the target is asked for anew, because its number of documents differed.
  ///   - version: the moment on which all targets agree, if the change comes from the remote.
  mutating func apply(
    _ changes: DocumentChanges, target: TargetState.Change? = nil, isPendingReset: Bool = false,
    at version: Timestamp = .zero, tracksLimbo: Bool = true
  ) -> Change {
    let old = documents
    documents = changes.documents
    mutated = changes.mutated
    unconfirmed = changes.unconfirmed
    if version.compare(self.version) > 0 { self.version = version }
    let wasCurrent = isCurrent
    if let target {
      synced.formUnion(target.added)
      synced.subtract(target.removed)
      isCurrent = target.isCurrent
    }
    var change = Change()
    if tracksLimbo, isShared, !isPendingReset, isCurrent {
      var touched = Set(changes.changes.byPath.keys)
      touched.formUnion(unconfirmed.keys)
      if let target {
        touched.formUnion(target.added)
        touched.formUnion(target.removed)
      }
      if !wasCurrent || needsWholeLimbo {
        touched.formUnion(documents.documents.map(\.path))
        touched.formUnion(limbo)
      }
      needsWholeLimbo = false
      change.limbo = updateLimbo(touched)
    } else if isShared, !changes.changes.isEmpty || target != nil {
      needsWholeLimbo = true
    }
    let isComplete = !isShared || (limbo.isEmpty && isCurrent && !isPendingReset)
    let syncStateChanged = isFromCache != !isComplete
    isFromCache = !isComplete
    guard !changes.changes.isEmpty || syncStateChanged else { return change }
    change.snapshot = ViewSnapshot(
      query: query, documents: documents, oldDocuments: old, changes: changes.changes,
      isFromCache: !isComplete, hasPendingWrites: !mutated.isEmpty, syncStateChanged: syncStateChanged,
      hasCachedResults: !(target?.token.isEmpty ?? true))
    return change
  }

  /// Whether changes passed by while limbo wasn't tracked.
  private var needsWholeLimbo = false

  /// Takes in whether the remote can be reached. Without it, nobody knows whether the result is complete.
  mutating func apply(_ state: OnlineState) -> Change {
    guard isShared, isCurrent, state == .offline else { return Change() }
    isCurrent = false
    return apply(
      DocumentChanges(
        documents: documents, changes: ViewChanges(), mutated: mutated, unconfirmed: unconfirmed,
        needsRefill: false),
      tracksLimbo: false)
  }

  /// Whether the remote has confirmed writes to a document, but hasn't sent it with what came after: others have changed it
  /// so that it left the result, before this device was told that it was in it.
  private func isOverdue(_ path: ResourcePath) -> Bool {
    unconfirmed[path].map { $0.updateTime.compare(version) <= 0 } ?? false
  }

  /// Whether the next moment on which all targets agree concerns the view, even if nothing is said of it.
  var awaitsConfirmation: Bool { !unconfirmed.isEmpty }

  private mutating func updateLimbo(_ touched: Set<ResourcePath>) -> LimboChanges {
    var changes = LimboChanges()
    for path in touched {
      let isInLimbo =
        !synced.contains(path) && (documents[path].map { !$0.hasLocalMutations || isOverdue(path) } ?? false)
      if isInLimbo {
        if limbo.insert(path).inserted { changes.added.append(path) }
      } else if limbo.remove(path) != nil {
        changes.removed.append(path)
      }
    }
    // In the order of the result, so that the same happens each time.
    changes.added.sort { $0.compare($1) < 0 }
    changes.removed.sort { $0.compare($1) < 0 }
    return changes
  }
}
