import TenonDocuments
import TenonValues

/// The current result of a query, and its relation to what the remote has sent.
///
/// Documents are updated first, by one or more calls; ``makeChange(target:isPendingReset:at:tracksLimbo:)``
/// then returns the combined change.
///
/// The result is what this device shows: the documents that match locally, with pending writes. Beside it,
/// the view keeps the documents that the remote has assigned to the target (`synced`). If the remote has sent
/// the whole target, a document in the result that is neither in `synced` nor pending is in limbo: its cached
/// state is probably outdated. The result is complete, and not from the cache, if the target is current and
/// no document is in limbo. These are the rules of Firestore's clients, except for the acknowledged writes
/// that the remote hasn't sent.
///
/// ``SyncEngine`` owns the value. It performs no reads: where it needs documents, it returns a ``Gap``.
///
/// - Complexity: O(log n) per changed document, regardless of the size of the collection; only when a result
///   becomes complete, all of its documents are examined.
struct View {
  /// The effect of a change on listeners and on limbo documents.
  struct Change {
    /// The snapshot to deliver; `nil` if nothing has changed for listeners.
    var snapshot: ViewSnapshot?
    /// The changes of limbo documents, which must be passed on even without a snapshot.
    var limbo = LimboChanges()
  }

  /// The documents that have entered and left limbo since the last change, each sorted by path.
  struct LimboChanges {
    var added: [ResourcePath] = []
    var removed: [ResourcePath] = []
  }

  let query: ListenQuery
  /// The snapshot that is made next: the result, and its changes since the last one.
  private var next: ViewSnapshot
  /// The documents of the result, in order.
  var documents: DocumentSet { next.documents }
  /// The documents of the result by path.
  private(set) var entries: [ResourcePath: DocumentSet.RankedDocument]
  /// The documents that the remote has assigned to the result, as of the last consistent snapshot. Some may
  /// be missing locally.
  private(set) var synced: Set<ResourcePath>
  /// The documents that have pending writes.
  private var mutated: Set<ResourcePath>
  /// The documents with acknowledged writes that the remote hasn't sent since; they are shown in their
  /// previous state.
  private var unsent: [ResourcePath: AcknowledgedWrite] = [:]
  /// The timestamp of the last consistent snapshot.
  private var version = Timestamp.zero
  /// The limbo documents of the result.
  private var limbo: Set<ResourcePath> = []
  /// Whether the remote has sent the whole result. Going offline resets it.
  private(set) var isCurrent = false
  /// Whether there is a remote. Otherwise the documents on this device are authoritative.
  private let hasRemote: Bool

  /// - Parameters:
  ///   - query: the query.
  ///   - found: its documents on this device, in reading order: from the end if the limit counts from there.
  ///   - synced: the documents that the remote has assigned to it.
  ///   - hasRemote: whether there is a remote.
  init(_ query: ListenQuery, _ found: [StoredDocument], synced: Set<ResourcePath>, hasRemote: Bool) {
    self.query = query
    self.synced = synced
    self.hasRemote = hasRemote
    let documents = DocumentSet(order: query.order, query.isLimitedToLast ? found.reversed() : found)
    next = ViewSnapshot(query: query, documents: documents)
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

  /// A request for documents, because others have left a full result.
  struct Gap {
    /// The last document of the previous result, or its first one if the limit counts from the end. The
    /// missing documents are beyond it.
    let edge: DocumentSet.RankedDocument
    /// The number of documents to read: those that may be missing, plus the number of documents shown in a
    /// state before an acknowledged write. The latter are read in their current state, possibly beyond the
    /// edge.
    let limit: Int
    /// The documents of the current result beyond the edge, which others may precede.
    fileprivate let doubtful: [ResourcePath]
  }

  /// Updates changed documents; `nil` for deleted ones.
  ///
  /// A document whose write was just acknowledged is shown in its previous state until the remote has sent
  /// it, so that listeners receive one change instead of two. A result that exceeds its limit loses its last
  /// documents, or the first ones if the limit counts from the end. If a full result loses documents, or one
  /// moves beyond its edge, others may move up that were never read.
  ///
  /// - Parameter changed: the documents in their current state, by path.
  /// - Returns: the documents to read in addition, and to pass to ``close(_:with:)`` or
  ///   ``replaceAll(with:)``; `nil` if none are needed.
  mutating func update(_ changed: [ResourcePath: StoredDocument?]) -> Gap? {
    let limit = query.limit
    let isFull = limit.map { documents.count == $0 } ?? false
    // The document beyond which others may move up into the result.
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
          // A document that was just acknowledged is reported once the remote has sent it.
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
    // Other documents may have entered and filled the result up to its edge.
    return count > 0 ? Gap(edge: edge, limit: count + unsent.count, doubtful: doubtful) : nil
  }

  /// Returns whether a document is beyond the edge of a result, in the direction of its limit.
  private func isBeyond(_ edge: DocumentSet.RankedDocument, _ entry: DocumentSet.RankedDocument) -> Bool {
    query.isLimitedToLast ? entry < edge : edge < entry
  }

  /// Adds the documents beyond the edge of a gap, up to its limit.
  ///
  /// The doubtful documents are removed first: they remain only if they are among those found.
  ///
  /// - Parameters:
  ///   - gap: the gap that the last update returned.
  ///   - found: the documents beyond its edge, at most as many as its limit.
  mutating func close(_ gap: Gap, with found: [StoredDocument]) {
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in gap.doubtful { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = update(changed)
  }

  /// Replaces the whole result, which was read again. Documents are no longer shown in a previous state: in a
  /// result with a limit, those beyond it may not have been read.
  ///
  /// - Complexity: O(n log n) for n documents.
  mutating func replaceAll(with found: [StoredDocument]) {
    for path in unsent.keys { if let held = entries[path] { remove(held) } }
    unsent = [:]
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in entries.keys { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = update(changed)
  }

  /// Inserts a document in place of its previous state, and records the change.
  ///
  /// - Parameters:
  ///   - old: the previous state; `nil` if the document wasn't in the result.
  ///   - new: the new state.
  ///   - kind: the kind of change.
  ///   - isPending: whether the document has writes that the remote hasn't sent back.
  private mutating func replace(
    _ old: DocumentSet.RankedDocument?, by new: DocumentSet.RankedDocument, _ kind: ViewSnapshot.Change.Kind,
    isPending: Bool
  ) {
    let path = new.document.path
    next.replace(old, by: new, kind)
    entries[path] = new
    if isPending { mutated.insert(path) } else { mutated.remove(path) }
  }

  /// Removes a document, and records the change.
  private mutating func remove(_ old: DocumentSet.RankedDocument) {
    let path = old.document.path
    next.remove(old)
    entries[path] = nil
    mutated.remove(path)
  }

  // MARK: - Changes

  /// Returns the combined change since the last call, including changes of the target.
  ///
  /// A snapshot is made if documents have changed, or the result has become complete or incomplete, and
  /// always by the first call.
  ///
  /// - Parameters:
  ///   - target: the changes that the remote has sent for the target.
  ///   - isPendingReset: whether the target is requested again because of an existence filter mismatch.
  ///   - version: the timestamp of the consistent snapshot, if the change comes from the remote.
  ///   - tracksLimbo: whether limbo documents are determined.
  mutating func makeChange(
    target: TargetState.Change? = nil, isPendingReset: Bool = false, at version: Timestamp = .zero,
    tracksLimbo: Bool = true
  ) -> Change {
    if version.compare(self.version) > 0 { self.version = version }
    let wasCurrent = isCurrent
    if let target {
      synced.formUnion(target.added)
      synced.subtract(target.removed)
      isCurrent = target.isCurrent
    }
    var change = Change()
    if tracksLimbo, hasRemote, !isPendingReset, isCurrent {
      var touched = Set(next.steps.keys)
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
    } else if hasRemote, next.isFirst || !next.steps.isEmpty || target != nil {
      needsWholeLimbo = true
    }
    let isComplete = !hasRemote || (limbo.isEmpty && isCurrent && !isPendingReset)
    change.snapshot = next.taken(
      isFromCache: !isComplete, hasPendingWrites: !mutated.isEmpty,
      hasCachedResults: !(target?.token.isEmpty ?? true))
    return change
  }

  /// Whether there were changes while limbo documents weren't tracked.
  private var needsWholeLimbo = false

  /// Returns the change when the reachability of the remote changes: while offline, the result may be
  /// incomplete. Limbo documents are determined again when the remote has sent the whole result.
  mutating func onlineStateChanged(to state: OnlineState) -> Change {
    guard hasRemote, isCurrent, state == .offline else { return Change() }
    isCurrent = false
    return makeChange(tracksLimbo: false)
  }

  /// Returns whether the remote won't send a document whose write it has acknowledged: the document left the
  /// result, by changes of others, before it could be sent.
  private func isOverdue(_ path: ResourcePath) -> Bool {
    unsent[path].map { $0.isOverdue(at: version) } ?? false
  }

  /// Returns whether the result is complete except for a document that exists locally and that the remote
  /// didn't send.
  func lacks(_ path: ResourcePath) -> Bool { isCurrent && limbo.contains(path) && !synced.contains(path) }

  /// Whether every consistent snapshot affects the view, even one without changes of its target.
  var awaitsAcknowledgedDocuments: Bool { !unsent.isEmpty }

  /// Whether documents of acknowledged writes may be looked up as time passes.
  var hasRecentAcknowledgements: Bool { unsent.values.contains { !$0.isOld } }

  /// Ages the acknowledged writes after some time without a consistent snapshot. Documents acknowledged
  /// before the previous call, which the remote would have sent by now, are looked up.
  ///
  /// - Returns: the change, which consists of limbo documents and whether the result is complete.
  mutating func ageAcknowledgements() -> Change {
    for path in unsent.keys { unsent[path]?.becomeOlder() }
    return makeChange()
  }

  /// Determines which of the given documents have entered and left limbo.
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
    // Sorting makes the order deterministic.
    changes.added.sort { $0.compare($1) < 0 }
    changes.removed.sort { $0.compare($1) < 0 }
    return changes
  }
}

/// A write that the remote has acknowledged, but whose document it hasn't sent since.
///
/// The listen and write streams are independent of each other, so an acknowledgment can precede a snapshot
/// that was made before the write. Normally the document arrives soon after. It doesn't if it has left the
/// result at the remote, by changes of others, in the meantime.
struct AcknowledgedWrite {
  /// The version of the document after the write.
  private let version: Timestamp
  /// The timestamp of the last consistent snapshot before the acknowledgment.
  private let since: Timestamp
  /// The number of times that the write was aged, up to 2.
  private var age = 0

  /// - Parameters:
  ///   - version: the version of the document after the write.
  ///   - since: the timestamp of the last consistent snapshot of the view.
  init(_ version: Timestamp, since: Timestamp) {
    self.version = version
    self.since = since
  }

  /// Ages the write. After two calls, the document is no longer expected.
  mutating func becomeOlder() { if !isOld { age += 1 } }

  /// Whether the document is no longer expected.
  var isOld: Bool { age == 2 }

  /// Returns whether a consistent snapshot must have included the version. A snapshot from before the
  /// acknowledgment doesn't count at first: the listen and write streams are independent, and the document
  /// may still arrive.
  ///
  /// - Parameter snapshot: the timestamp of the last consistent snapshot.
  func isOverdue(at snapshot: Timestamp) -> Bool {
    version.compare(snapshot) <= 0 && (since.compare(snapshot) < 0 || isOld)
  }
}
