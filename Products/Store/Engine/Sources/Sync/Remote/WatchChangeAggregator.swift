import TenonDocuments
import TenonStoreInterop

/// Information about targets that the aggregator needs. It must not change between two consistent snapshots,
/// except that targets are added and removed.
protocol TargetMetadata: AnyObject {
  /// Returns an active target; `nil` if it isn't listened to.
  func target(_ id: Int) -> TargetData?
  /// Returns the documents that belong to a target as of the last consistent snapshot.
  func remoteKeys(of target: Int) -> Set<ResourcePath>
}

/// Collects the events of targets until the next consistent snapshot of all of them.
///
/// The remote reports documents, and to which targets they belong, one event at a time. Only at a consistent
/// snapshot do all targets reflect the same read time; ``event(at:)`` then returns the net changes. Events of
/// a target with unanswered requests are ignored, because they belong to an earlier request with the same ID.
///
/// A change of a document and its membership in a target are separate: the newest state of each document is
/// kept once, while its membership is kept per target in a ``TargetState``. The rules are those of the watch
/// change aggregator of Firestore's clients.
///
/// A value belongs to one listen stream, and is discarded with it. ``RemoteExchange`` owns it.
struct WatchChangeAggregator {
  /// The sync engine, which outlives the exchange that owns this value.
  private unowned let metadata: any TargetMetadata
  /// The changes of each target that was requested on this stream.
  private var states: [Int: TargetState] = [:]
  /// The newest state of each document that was sent since the last consistent snapshot.
  private var documents: [ResourcePath: BaseDocument] = [:]
  /// The targets for which each document was mentioned.
  private var reporters: [ResourcePath: Set<Int>] = [:]
  /// The targets for which the state of each document was sent.
  private var senders: [ResourcePath: Set<Int>] = [:]
  /// The targets to request again, with the purpose.
  private var resets: [Int: ListenTarget.Purpose] = [:]

  /// Creates an aggregator for a new stream.
  ///
  /// - Parameter metadata: not retained.
  init(_ metadata: any TargetMetadata) { self.metadata = metadata }

  /// Records that a request for a target, or its end, was sent. Its events are ignored until the remote has
  /// answered.
  mutating func requestSent(for target: Int) { states[target, default: TargetState()].requestSent() }

  /// Discards the changes of a target that has ended.
  mutating func removeTarget(_ id: Int) { states[id] = nil }

  // MARK: - Events

  /// Records a document change.
  ///
  /// - Parameters:
  ///   - document: the new state of the document. Without fields, it was deleted, and leaves the `added`
  ///     targets as well.
  ///   - added: the targets to which the document belongs now.
  ///   - removed: the targets that it has left.
  mutating func add(_ document: RemoteDocument, added: [Int], removed: [Int]) {
    let base: BaseDocument =
      document.fields.map {
        BaseDocument(
          content: .found($0), createTime: document.createTime ?? .zero, version: document.updateTime,
          isCommitted: false)
      } ?? .missing(at: document.updateTime)
    for target in added {
      if document.fields == nil {
        remove(document.path, from: target, with: base)
      } else {
        add(document.path, to: target, base)
      }
    }
    for target in removed { remove(document.path, from: target, with: base) }
  }

  /// Records that a document no longer belongs to targets, without its state being known. It may still exist.
  mutating func remove(_ path: ResourcePath, from targets: [Int]) {
    for target in targets { remove(path, from: target, with: nil) }
  }

  /// Processes a change of targets; a change without target IDs concerns all active targets.
  ///
  /// - `added` and `removed` answer a request. When no request is unanswered any more, `added` discards the
  ///   changes that were collected before, and `removed` the target.
  /// - `current` marks the target as sent in full.
  /// - `reset` discards what was sent; the documents known to belong to the target leave it until they are
  ///   sent again.
  /// - A resume token, which can come with all kinds but `removed`, takes effect at the next consistent
  ///   snapshot.
  mutating func update(_ change: TargetChange) {
    for id in change.targets.isEmpty ? Array(states.keys).filter(isActive) : change.targets {
      switch change.kind {
      case .noChange:
        if isActive(id) { states[id, default: TargetState()].update(token: change.token) }
      case .added:
        // The remote answers a request; what it sent before belongs to an earlier one.
        states[id, default: TargetState()].answerReceived()
        if states[id]?.isPending == false { states[id]?.clear() }
        states[id]?.update(token: change.token)
      case .removed:
        states[id]?.answerReceived()
        if states[id]?.isPending == false { removeTarget(id) }
      case .current:
        if isActive(id) {
          states[id, default: TargetState()].markCurrent()
          states[id]?.update(token: change.token)
        }
      case .reset:
        if isActive(id) {
          reset(id)
          states[id]?.update(token: change.token)
        }
      }
    }
  }

  /// Compares the number of documents of a target with an existence filter. On a mismatch, the documents that
  /// the bloom filter excludes are removed; if the numbers still differ, the target is requested again.
  ///
  /// A bloom filter has no false negatives, so a document that it excludes certainly left the target. Its
  /// views look it up as a limbo document if it still matches locally. Because of false positives, the number
  /// can still be too large afterwards. An invalid bloom filter counts as missing.
  ///
  /// - Parameter filter: the filter; ignored if the target isn't active.
  /// - Complexity: O(n) for the n documents of the target if the numbers differ.
  mutating func check(_ filter: ExistenceFilter) {
    let id = filter.target
    guard let data = activeTarget(id) else { return }
    if let path = data.target.document {
      // A target of a single document that doesn't exist.
      if filter.count == 0 { remove(path, from: id, with: .missing(at: .zero)) }
      return
    }
    guard count(of: id) != filter.count else { return }
    let purpose: ListenTarget.Purpose
    if let names = filter.names.flatMap(BloomFilter.init) {
      for path in metadata.remoteKeys(of: id) where !names.mayContain(path) {
        remove(path, from: id, with: nil)
      }
      if count(of: id) == filter.count { return }
      purpose = .existenceFilterMismatchBloom
    } else {
      purpose = .existenceFilterMismatch
    }
    // An unknown change was missed, so the target is requested again.
    reset(id)
    resets[id] = purpose
  }

  /// The limbo documents that were found since the last consistent snapshot: those whose lookup is complete
  /// and has sent them.
  var foundDocuments: [ResourcePath: BaseDocument] {
    var found: [ResourcePath: BaseDocument] = [:]
    for (id, state) in states where state.isCurrent {
      guard let data = activeTarget(id), data.purpose == .limboResolution, let path = data.target.document,
        senders[path]?.contains(id) == true
      else { continue }
      found[path] = documents[path]
    }
    return found
  }

  /// Requests a target again because it lacks a document, as after an existence filter mismatch. No effect if
  /// it isn't active.
  mutating func requestAgain(_ id: Int) {
    guard activeTarget(id) != nil, resets[id] == nil else { return }
    reset(id)
    resets[id] = .existenceFilterMismatch
  }

  // MARK: - Result

  /// Returns the events up to a consistent snapshot, and begins the next one.
  ///
  /// A lookup that is complete without having sent its document shows that the document doesn't exist, so the
  /// event deletes it. Documents that only lookups have reported are marked, because no target keeps them
  /// from being collected.
  ///
  /// - Parameter version: the read time of the snapshot.
  mutating func event(at version: Timestamp) -> RemoteEvent {
    var event = RemoteEvent(version: version)
    for id in states.keys.sorted() {
      guard let data = activeTarget(id), let state = states[id] else { continue }
      if state.isCurrent, let path = data.target.document, senders[path]?.contains(id) != true,
        !isKnown(path, to: id)
      {
        // The remote has sent the complete target, which didn't contain the document.
        remove(path, from: id, with: .missing(at: version))
      }
      guard let state = states[id], state.hasChanges else { continue }
      event.targetChanges[id] = state.change
      states[id]?.clear()
    }
    for (path, targets) in reporters {
      let isLimboOnly = targets.allSatisfy { activeTarget($0).map { $0.purpose == .limboResolution } ?? true }
      if isLimboOnly { event.resolvedLimboDocuments.insert(path) }
    }
    event.documents = documents
    event.mismatches = resets
    documents = [:]
    reporters = [:]
    senders = [:]
    resets = [:]
    return event
  }

  // MARK: - Targets

  /// Returns a target whose requests have all been answered; `nil` for others, whose events are outdated.
  private func activeTarget(_ id: Int) -> TargetData? {
    states[id]?.isPending == true ? nil : metadata.target(id)
  }

  /// Returns whether the events of a target are valid: it is listened to, and all its requests have been
  /// answered.
  private func isActive(_ id: Int) -> Bool { activeTarget(id) != nil }

  /// Returns whether a document belonged to a target at the last consistent snapshot.
  private func isKnown(_ path: ResourcePath, to target: Int) -> Bool {
    metadata.remoteKeys(of: target).contains(path)
  }

  /// Returns the current number of documents of a target.
  private func count(of target: Int) -> Int {
    metadata.remoteKeys(of: target).count + (states[target]?.growth ?? 0)
  }

  /// Records that a document belongs to a target, and its state; no effect if the target isn't active.
  private mutating func add(_ path: ResourcePath, to target: Int, _ document: BaseDocument) {
    guard isActive(target) else { return }
    states[target, default: TargetState()].add(path, isKnown: isKnown(path, to: target))
    reporters[path, default: []].insert(target)
    keepNewest(document, at: path, from: target)
  }

  /// Records that a document doesn't belong to a target, and its state if it is known; no effect if the
  /// target isn't active.
  private mutating func remove(_ path: ResourcePath, from target: Int, with document: BaseDocument?) {
    guard isActive(target) else { return }
    states[target, default: TargetState()].remove(path, isKnown: isKnown(path, to: target))
    reporters[path, default: []].insert(target)
    if let document { keepNewest(document, at: path, from: target) }
  }

  /// Keeps the newest state of a document, regardless of the target for which it was sent last. A loss of
  /// access, which has no version, always applies.
  private mutating func keepNewest(_ document: BaseDocument, at path: ResourcePath, from target: Int) {
    senders[path, default: []].insert(target)
    if let newer = documents[path], document.version != .zero, newer.version.compare(document.version) > 0 {
      return
    }
    documents[path] = document
  }

  /// Discards the state of a target, and removes its known documents from it.
  private mutating func reset(_ id: Int) {
    states[id] = TargetState()
    for path in metadata.remoteKeys(of: id) { remove(path, from: id, with: nil) }
  }
}
