import TenonDocuments
import TenonStoreInterop

/// The current result of a query, and how it compares with what the remote has sent.
///
/// Documents are updated first, by one or several calls; ``makeChange(target:isPendingReset:at:tracksLimbo:)`` then returns
/// the combined change. A change costs O(log n) for each document that changed, whatever the size of the result or of the
/// collection; only a result that becomes complete is searched as a whole.
struct View {
  /// The effect of a change on listeners and on limbo documents.
  struct Change {
    var snapshot: ViewSnapshot?
    var limbo = LimboChanges()
  }

  /// The documents that have come into limbo and left it since the last change.
  struct LimboChanges {
    var added: [ResourcePath] = []
    var removed: [ResourcePath] = []
  }

  let query: ViewQuery
  private(set) var documents: DocumentSet
  /// The same documents by their paths.
  private var entries: [ResourcePath: DocumentSet.RankedDocument]
  /// The documents that the remote has said belong to the result.
  private(set) var synced: Set<ResourcePath>
  private var mutated: Set<ResourcePath>
  /// The documents whose writes the remote has acknowledged, but which it hasn't sent since: they are shown as they were.
  private var unsent: [ResourcePath: AcknowledgedWrite] = [:]
  /// The timestamp of the last consistent snapshot.
  private var version = Timestamp.zero
  private var limbo: Set<ResourcePath> = []
  /// Whether the remote has sent the whole result.
  private(set) var isCurrent = false
  /// `nil` before the first snapshot.
  private var isFromCache: Bool?
  /// Whether there is a remote. Without one, the documents of this device are the truth.
  private let hasRemote: Bool

  /// The documents as of the last change that was made, and what has changed since.
  private var reportedDocuments: DocumentSet
  private var changes = ViewChanges()

  /// - Parameters:
  ///   - query: the query.
  ///   - found: its documents on this device, in the order in which they are read: from the end if its limit counts from there.
  ///   - synced: the documents that the remote has said belong to it.
  ///   - hasRemote: whether there is a remote.
  init(_ query: ViewQuery, _ found: [StoredDocument], synced: Set<ResourcePath>, hasRemote: Bool) {
    self.query = query
    self.synced = synced
    self.hasRemote = hasRemote
    let documents = DocumentSet(order: query.order, query.isLimitedToLast ? found.reversed() : found)
    self.documents = documents
    reportedDocuments = documents
    var entries: [ResourcePath: DocumentSet.RankedDocument] = [:]
    var mutated: Set<ResourcePath> = []
    entries.reserveCapacity(documents.count)
    documents.entries.forEach { entry in
      entries[entry.document.path] = entry
      if entry.document.hasLocalMutations { mutated.insert(entry.document.path) }
    }
    (self.entries, self.mutated) = (entries, mutated)
  }

  // MARK: - Documents

  /// Returns whether a document's change concerns the view.
  func isConcerned(by path: ResourcePath, _ document: StoredDocument?) -> Bool {
    entries[path] != nil || document.map(query.matches) ?? false
  }

  /// The documents that have to be read because others have left a full result.
  struct Gap {
    /// The last document of the result as it was, or its first one if the limit counts from the end. Missing documents are beyond
    /// it.
    let edge: DocumentSet.RankedDocument
    /// The number of documents to read: those that may be missing, and as many as are still shown as they were before a write that
    /// the remote has acknowledged. They are read as they are now, perhaps beyond the edge.
    let limit: Int
    /// The documents beyond the edge that are in the result now. Others may precede them.
    fileprivate let doubtful: [ResourcePath]
  }

  /// Updates documents that changed; `nil` for deleted ones.
  ///
  /// - Returns: what has to be read in addition, and passed to ``close(_:with:)`` or ``replaceAll(with:)``.
  mutating func update(_ changed: [ResourcePath: StoredDocument?]) -> Gap? {
    let limit = query.limit
    let isFull = limit.map { documents.count == $0 } ?? false
    // The document beyond which others may wait for a place.
    let edge = !isFull ? nil : query.isLimitedToLast ? documents.first : documents.last
    var needsRefill = false
    for (path, document) in changed {
      let old = entries[path]
      let new = document.flatMap { query.matches($0) ? $0 : nil }
      unsent[path] = nil
      switch (old, new) {
      case (let old?, let new?):
        let hadPending = mutated.contains(path)
        let hasPending = new.hasLocalMutations || (hadPending && new.hasCommittedMutations)
        if old.document.fields != new.fields {
          // What was just acknowledged is reported once the remote has sent it.
          if old.document.hasLocalMutations, new.hasCommittedMutations, !new.hasLocalMutations {
            unsent[path] = AcknowledgedWrite(new.updateTime, since: version)
          } else {
            let entry = documents.entry(new)
            replace(old, by: entry, .modified, isPending: hasPending)
            if let edge, isBeyond(edge, entry) { needsRefill = true }
          }
        } else if hadPending != hasPending {
          replace(old, by: documents.entry(new), .metadata, isPending: hasPending)
        } else if new.hasCommittedMutations, !new.hasLocalMutations {
          unsent[path] = AcknowledgedWrite(new.updateTime, since: version)
        }
      case (nil, let new?):
        replace(nil, by: documents.entry(new), .added, isPending: new.hasLocalMutations)
      case (let old?, nil):
        remove(old)
        if isFull { needsRefill = true }
      case (nil, nil): break
      }
    }
    while let limit, documents.count > limit,
      let surplus = query.isLimitedToLast ? documents.first : documents.last
    {
      remove(surplus)
      unsent[surplus.document.path] = nil
    }
    guard needsRefill, let edge, let limit else { return nil }
    let doubtful = changed.keys.filter { path in entries[path].map { isBeyond(edge, $0) } ?? false }
    let count = limit - documents.count + doubtful.count
    // Others may have come in that fill the result up to its edge.
    return count > 0 ? Gap(edge: edge, limit: count + unsent.count, doubtful: doubtful) : nil
  }

  private func isBeyond(_ edge: DocumentSet.RankedDocument, _ entry: DocumentSet.RankedDocument) -> Bool {
    query.isLimitedToLast ? entry < edge : edge < entry
  }

  /// Adds the documents beyond the edge of a gap, up to its limit.
  mutating func close(_ gap: Gap, with found: [StoredDocument]) {
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in gap.doubtful { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = update(changed)
  }

  /// Replaces the whole result, which was read again. No document is shown as it was any more: in a result with a limit, the ones
  /// beyond it may not have been read.
  mutating func replaceAll(with found: [StoredDocument]) {
    for path in unsent.keys { if let held = entries[path] { remove(held) } }
    unsent = [:]
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in entries.keys { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = update(changed)
  }

  private mutating func replace(
    _ old: DocumentSet.RankedDocument?, by new: DocumentSet.RankedDocument, _ kind: ViewChange.Kind,
    isPending: Bool
  ) {
    let path = new.document.path
    if let old { documents.remove(old) }
    documents.insert(new)
    entries[path] = new
    if isPending { mutated.insert(path) } else { mutated.remove(path) }
    changes.track(kind, new, before: old)
  }

  private mutating func remove(_ old: DocumentSet.RankedDocument) {
    let path = old.document.path
    documents.remove(old)
    entries[path] = nil
    mutated.remove(path)
    changes.track(.removed, old, before: old)
  }

  // MARK: - Changes

  /// Returns the combined change since the last call, with changes of the target.
  ///
  /// - Parameters:
  ///   - target: what the remote has sent for the target.
  ///   - isPendingReset: whether the target is requested again because its number of documents differed.
  ///   - version: the timestamp of the consistent snapshot, if the change comes from the remote.
  mutating func makeChange(
    target: TargetState.Change? = nil, isPendingReset: Bool = false, at version: Timestamp = .zero,
    tracksLimbo: Bool = true
  ) -> Change {
    let (old, changes) = (reportedDocuments, changes)
    reportedDocuments = documents
    self.changes = ViewChanges()
    let isFirst = isFromCache == nil
    if version.compare(self.version) > 0 { self.version = version }
    let wasCurrent = isCurrent
    if let target {
      synced.formUnion(target.added)
      synced.subtract(target.removed)
      isCurrent = target.isCurrent
    }
    var change = Change()
    if tracksLimbo, hasRemote, !isPendingReset, isCurrent {
      var touched = Set(changes.byPath.keys)
      touched.formUnion(unsent.keys)
      if let target {
        touched.formUnion(target.added)
        touched.formUnion(target.removed)
      }
      if !wasCurrent || needsWholeLimbo {
        touched.formUnion(entries.keys)
        touched.formUnion(limbo)
      }
      needsWholeLimbo = false
      change.limbo = updateLimbo(touched)
    } else if hasRemote, isFirst || !changes.isEmpty || target != nil {
      needsWholeLimbo = true
    }
    let isComplete = !hasRemote || (limbo.isEmpty && isCurrent && !isPendingReset)
    let syncStateChanged = isFromCache != !isComplete
    isFromCache = !isComplete
    guard !changes.isEmpty || syncStateChanged else { return change }
    change.snapshot = ViewSnapshot(
      query: query, documents: documents, oldDocuments: old, steps: changes, isFirst: isFirst,
      isFromCache: !isComplete, hasPendingWrites: !mutated.isEmpty, syncStateChanged: syncStateChanged,
      hasCachedResults: !(target?.token.isEmpty ?? true))
    return change
  }

  /// Whether there were changes while limbo wasn't tracked.
  private var needsWholeLimbo = false

  /// Follows whether the remote can be reached. While it can't, the result may be incomplete.
  mutating func onlineStateChanged(to state: OnlineState) -> Change {
    guard hasRemote, isCurrent, state == .offline else { return Change() }
    isCurrent = false
    return makeChange(tracksLimbo: false)
  }

  /// Returns whether the remote has acknowledged writes to a document, but won't send it: others have changed it so that it left the
  /// result before the remote could send it.
  private func isOverdue(_ path: ResourcePath) -> Bool {
    unsent[path].map { $0.isOverdue(at: version) } ?? false
  }

  /// Returns whether the result is complete except for a document that this device has and the remote didn't send.
  func lacks(_ path: ResourcePath) -> Bool { isCurrent && limbo.contains(path) && !synced.contains(path) }

  /// Whether every consistent snapshot concerns the view, even one without changes of its target.
  var awaitsAcknowledgedDocuments: Bool { !unsent.isEmpty }

  /// Whether documents of acknowledged writes may be looked up as time passes.
  var hasRecentAcknowledgements: Bool { unsent.values.contains { !$0.isOld } }

  /// Some time has passed without a consistent snapshot: the documents that the remote acknowledged before the last call, and would
  /// have sent by now, are looked up.
  mutating func ageAcknowledgements() -> Change {
    for path in unsent.keys { unsent[path]?.becomeOlder() }
    return makeChange()
  }

  private mutating func updateLimbo(_ touched: Set<ResourcePath>) -> LimboChanges {
    var changes = LimboChanges()
    for path in touched {
      let isInLimbo =
        !synced.contains(path)
        && (entries[path].map { !$0.document.hasLocalMutations || isOverdue(path) } ?? false)
      if isInLimbo {
        if limbo.insert(path).inserted { changes.added.append(path) }
      } else if limbo.remove(path) != nil {
        changes.removed.append(path)
      }
    }
    // Sorted, so that the order is deterministic.
    changes.added.sort { $0.compare($1) < 0 }
    changes.removed.sort { $0.compare($1) < 0 }
    return changes
  }
}

/// A write that the remote has acknowledged, but whose document it hasn't sent since.
struct AcknowledgedWrite {
  /// The version that the write gave the document.
  private let version: Timestamp
  /// The timestamp of the last consistent snapshot when the write was acknowledged.
  private let since: Timestamp
  /// The number of times that it was aged.
  private var age = 0

  init(_ version: Timestamp, since: Timestamp) {
    self.version = version
    self.since = since
  }

  mutating func becomeOlder() { if !isOld { age += 1 } }

  /// Whether the document is no longer expected.
  var isOld: Bool { age == 2 }

  /// Returns whether a consistent snapshot must have included the version. One from before the acknowledgement doesn't count at
  /// first: the listen and write streams are independent, and the document may still arrive.
  func isOverdue(at snapshot: Timestamp) -> Bool {
    version.compare(snapshot) <= 0 && (since.compare(snapshot) < 0 || isOld)
  }
}
