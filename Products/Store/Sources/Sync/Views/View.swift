import TenonDocuments
import TenonStoreInterop

/// The present result of a query, and how it compares with what the remote says.
///
/// Documents are taken in first, by one or several calls; ``apply(target:isPendingReset:at:tracksLimbo:)`` then tells what
/// they come to. A change costs O(log n) for each document that changed, whatever the size of the result or of the
/// collection; only a result that becomes complete is looked through as a whole.
struct View {
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
  /// The same documents by their paths.
  private var entries: [ResourcePath: DocumentSet.Entry]
  /// The documents that the remote has said belong to the result.
  private(set) var synced: Set<ResourcePath>
  private var mutated: Set<ResourcePath>
  /// The documents whose writes the remote has confirmed, but which it hasn't sent since: they are shown as they were.
  private var unconfirmed: [ResourcePath: ConfirmedWrite] = [:]
  /// The last moment on which all targets agreed.
  private var version = Timestamp.zero
  private var limbo: Set<ResourcePath> = []
  /// Whether the remote has sent the whole result.
  private(set) var isCurrent = false
  /// `nil` before the first snapshot.
  private var isFromCache: Bool?
  /// Whether a remote has anything to say at all.
  private let isShared: Bool

  /// The documents as of the last call of `apply`, and what has changed since.
  private var appliedDocuments: DocumentSet
  private var changes = ViewChanges()

  /// - Parameters:
  ///   - query: the query.
  ///   - found: its documents on this device, in the order in which they are read: from the end, if its limit counts from there.
  ///   - synced: the documents that the remote has said belong to it.
  ///   - isShared: whether there is a remote. Without one, what is here is the truth.
  init(_ query: ViewQuery, _ found: [StoredDocument], synced: Set<ResourcePath>, isShared: Bool) {
    self.query = query
    self.synced = synced
    self.isShared = isShared
    let documents = DocumentSet(order: query.order, query.isLimitedToLast ? found.reversed() : found)
    self.documents = documents
    appliedDocuments = documents
    var entries: [ResourcePath: DocumentSet.Entry] = [:]
    var mutated: Set<ResourcePath> = []
    entries.reserveCapacity(documents.count)
    documents.entries.forEach { entry in
      entries[entry.document.path] = entry
      if entry.document.hasLocalMutations { mutated.insert(entry.document.path) }
    }
    (self.entries, self.mutated) = (entries, mutated)
  }

  // MARK: - Documents

  /// Whether a change of a document can mean anything to the view.
  func isConcerned(by path: ResourcePath, _ document: StoredDocument?) -> Bool {
    entries[path] != nil || document.map(query.matches) ?? false
  }

  /// What has to be read because documents have left their places in a result that was full: others may take these.
  struct Gap {
    /// The last document of the result as it was, or its first one if the limit counts from the end. Whatever may be missing
    /// lies beyond it.
    let edge: DocumentSet.Entry
    /// How many documents to read: those that may be missing, and as many as are still shown as they were before a write that
    /// the remote has confirmed. What is read has these as they are now, perhaps beyond the edge.
    let limit: Int
    /// The documents beyond the edge that are in the result now. Others may come before them.
    fileprivate let doubtful: [ResourcePath]
  }

  /// Takes in documents that changed; `nil` for those that are gone.
  ///
  /// - Returns: what has to be read in addition, and taken in by ``take(_:closing:)`` or ``take(all:)``.
  mutating func take(_ changed: [ResourcePath: StoredDocument?]) -> Gap? {
    let limit = query.limit
    let isFull = limit.map { documents.count == $0 } ?? false
    // The document beyond which others may wait for a place.
    let edge = !isFull ? nil : query.isLimitedToLast ? documents.first : documents.last
    var needsRefill = false
    for (path, document) in changed {
      let old = entries[path]
      let new = document.flatMap { query.matches($0) ? $0 : nil }
      unconfirmed[path] = nil
      switch (old, new) {
      case (let old?, let new?):
        let hadPending = mutated.contains(path)
        let hasPending = new.hasLocalMutations || (hadPending && new.hasCommittedMutations)
        if old.document.fields != new.fields {
          // What was just confirmed is reported once the remote has sent it back.
          if old.document.hasLocalMutations, new.hasCommittedMutations, !new.hasLocalMutations {
            unconfirmed[path] = ConfirmedWrite(new.updateTime, since: version)
          } else {
            let entry = documents.entry(new)
            replace(old, by: entry, .modified, isPending: hasPending)
            if let edge, isBeyond(edge, entry) { needsRefill = true }
          }
        } else if hadPending != hasPending {
          replace(old, by: documents.entry(new), .metadata, isPending: hasPending)
        } else if new.hasCommittedMutations, !new.hasLocalMutations {
          unconfirmed[path] = ConfirmedWrite(new.updateTime, since: version)
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
      unconfirmed[surplus.document.path] = nil
    }
    guard needsRefill, let edge, let limit else { return nil }
    let doubtful = changed.keys.filter { path in entries[path].map { isBeyond(edge, $0) } ?? false }
    let count = limit - documents.count + doubtful.count
    // Others may have come that fill the result up to its edge.
    return count > 0 ? Gap(edge: edge, limit: count + unconfirmed.count, doubtful: doubtful) : nil
  }

  private func isBeyond(_ edge: DocumentSet.Entry, _ entry: DocumentSet.Entry) -> Bool {
    query.isLimitedToLast ? entry < edge : edge < entry
  }

  /// Takes in the documents that follow the edge of a gap, up to its limit.
  mutating func take(_ found: [StoredDocument], closing gap: Gap) {
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in gap.doubtful { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = take(changed)
  }

  /// Takes in the whole result, which was read anew. Nothing is shown as it was before any more: what would follow it in a
  /// result with a limit may not have been read.
  mutating func take(all found: [StoredDocument]) {
    for path in unconfirmed.keys { if let held = entries[path] { remove(held) } }
    unconfirmed = [:]
    var changed: [ResourcePath: StoredDocument?] = [:]
    for path in entries.keys { changed.updateValue(nil, forKey: path) }
    for document in found { changed.updateValue(document, forKey: document.path) }
    _ = take(changed)
  }

  private mutating func replace(
    _ old: DocumentSet.Entry?, by new: DocumentSet.Entry, _ kind: ViewChange.Kind, isPending: Bool
  ) {
    let path = new.document.path
    if let old { documents.remove(old) }
    documents.insert(new)
    entries[path] = new
    if isPending { mutated.insert(path) } else { mutated.remove(path) }
    changes.track(kind, new, before: old)
  }

  private mutating func remove(_ old: DocumentSet.Entry) {
    let path = old.document.path
    documents.remove(old)
    entries[path] = nil
    mutated.remove(path)
    changes.track(.removed, old, before: old)
  }

  // MARK: - Applying

  /// Applies the documents that were taken in, and changes of the target.
  ///
  /// - Parameters:
  ///   - target: what the remote said of the target.
  ///   - isPendingReset: whether the target is asked for anew, because its number of documents differed.
  ///   - version: the moment on which all targets agree, if the change comes from the remote.
  mutating func apply(
    target: TargetState.Change? = nil, isPendingReset: Bool = false, at version: Timestamp = .zero,
    tracksLimbo: Bool = true
  ) -> Change {
    let (old, changes) = (appliedDocuments, changes)
    appliedDocuments = documents
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
    if tracksLimbo, isShared, !isPendingReset, isCurrent {
      var touched = Set(changes.byPath.keys)
      touched.formUnion(unconfirmed.keys)
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
    } else if isShared, isFirst || !changes.isEmpty || target != nil {
      needsWholeLimbo = true
    }
    let isComplete = !isShared || (limbo.isEmpty && isCurrent && !isPendingReset)
    let syncStateChanged = isFromCache != !isComplete
    isFromCache = !isComplete
    guard !changes.isEmpty || syncStateChanged else { return change }
    change.snapshot = ViewSnapshot(
      query: query, documents: documents, oldDocuments: old, steps: changes, isFirst: isFirst,
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
    return apply(tracksLimbo: false)
  }

  /// Whether the remote has confirmed writes to a document, but will not send it with what came after: others have changed
  /// it so that it left the result before this device was told that it was in it.
  private func isOverdue(_ path: ResourcePath) -> Bool {
    unconfirmed[path].map { $0.isOverdue(at: version) } ?? false
  }

  /// Whether the result is complete but for a document that this device has and the remote didn't send.
  func lacks(_ path: ResourcePath) -> Bool { isCurrent && limbo.contains(path) && !synced.contains(path) }

  /// Whether the next moment on which all targets agree concerns the view, even if nothing is said of it.
  var awaitsConfirmation: Bool { !unconfirmed.isEmpty }

  /// Whether documents of confirmed writes may come to be looked up because time passes.
  var hasYoungConfirmations: Bool { unconfirmed.values.contains { !$0.isOld } }

  /// Some time has passed without a moment on which all targets agree: what the remote confirmed before the last time, and
  /// would have sent by now, is looked up.
  mutating func ageConfirmations() -> Change {
    for path in unconfirmed.keys { unconfirmed[path]?.becomeOlder() }
    return apply()
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
    // In the order of the result, so that the same happens each time.
    changes.added.sort { $0.compare($1) < 0 }
    changes.removed.sort { $0.compare($1) < 0 }
    return changes
  }
}

/// A write that the remote has confirmed, but whose document it hasn't sent since.
struct ConfirmedWrite {
  /// The version that the write gave the document.
  private let version: Timestamp
  /// The last moment on which all targets agreed when the write was confirmed.
  private let since: Timestamp
  /// How often it was aged.
  private var age = 0

  init(_ version: Timestamp, since: Timestamp) {
    self.version = version
    self.since = since
  }

  mutating func becomeOlder() { if !isOld { age += 1 } }

  /// Whether the document isn't expected any more.
  var isOld: Bool { age == 2 }

  /// Whether a moment on which all targets agree must have included the version. One that was told before the confirmation
  /// doesn't count at first: the stream of targets and that of writes are independent, and the document may still come.
  func isOverdue(at moment: Timestamp) -> Bool {
    version.compare(moment) <= 0 && (since.compare(moment) < 0 || isOld)
  }
}
