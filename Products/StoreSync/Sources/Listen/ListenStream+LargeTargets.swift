import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The reading of the documents of a large target, in pages of one read time.
struct LargeReading {
  /// The target.
  let target: Int
  /// The pages.
  let pages: DocumentPages
  /// Whether nothing has been read.
  var isNew = true
}

/// Targets that are too large for the server's channel; see ``PolledTarget``.
extension ListenStream {
  /// Decides how the documents of a target arrive, before it is requested.
  ///
  /// - Parameter target: a target that is to be requested.
  /// - Returns: whether anything was done, so that the decision must be made again.
  func chooseMode(of target: ListenedTarget) async throws -> Bool {
    let id = target.request.id
    let resumes = memory.facts.withLock { $0.resumes }
    guard let query = target.largeQuery, target.polled == nil,
      target.isSuspect || (resumes == false && target.count == 0)
    else { return false }
    let (count, time) = try await DocumentPages.count(
      of: query, limit: Self.directLimit + 1, in: context, over: client)
    guard targets[id]?.order == target.order else { return true }
    targets[id]?.isSuspect = false
    targets[id]?.count = max(count, 1)
    // One commit can send all targets of a server that doesn't resume them.
    let others =
      resumes != false ? 0 : targets.values.reduce(0) { $0 + ($1.polled == nil ? $1.count : 0) } - count
    guard count > Self.directLimit - others else { return true }
    if resumes == true {
      reading = LargeReading(target: id, pages: DocumentPages(query, at: nil, in: context, over: client))
    } else {
      let notifier = makeOwnTarget()
      notifiers[notifier] = id
      if resumes == nil { targets[id]?.resumption = .readTime(time) }
      targets[id]?.polled = PolledTarget(notifier: notifier, isProbe: resumes == nil)
    }
    return true
  }

  /// Called when the server has sent the documents of a notifier.
  func notifierIsCurrent(_ notifier: Int) {
    guard let id = notifiers[notifier], let target = targets[id], let polled = target.polled,
      let query = target.largeQuery
    else { return }
    targets[id]?.isTouched = true
    targets[id]?.polled?.isCurrent = true
    guard polled.isProbe else { return }
    memory.facts.withLock { $0.resumes = !polled.wasReset }
    targets[id]?.polled?.isProbe = false
    guard !polled.wasReset else { return }
    // The server resumes targets: no need for a notifier.
    endNotifier(notifier)
    targets[id]?.polled = nil
    targets[id]?.phase = .unsent
    reading = LargeReading(target: id, pages: DocumentPages(query, at: nil, in: context, over: client))
  }

  /// Begins to read the next polled target that has changed, as of the snapshot that waits for it. After the
  /// last one, the snapshot is passed on.
  func beginReading() {
    guard let snapshot = heldSnapshot else { return }
    let dirty = targets.values.filter { $0.polled.map { $0.isCurrent && $0.isDirty } ?? false }
    guard let target = dirty.min(by: { $0.order < $1.order }), let query = target.largeQuery else {
      heldSnapshot = nil
      return emit(.target(snapshot))
    }
    let id = target.request.id
    targets[id]?.polled?.reading += 1
    reading = LargeReading(
      target: id, pages: DocumentPages(query, at: snapshot.readTime, in: context, over: client))
  }

  /// Reads some more documents.
  func continueReading() async throws {
    guard var reading, let target = targets[reading.target] else {
      self.reading = nil
      return
    }
    let id = reading.target
    if reading.isNew {
      reading.isNew = false
      self.reading = reading
      let isRepeated = target.isConfirmed || target.request.resumption != nil
      confirm(target)
      if isRepeated, target.polled?.isFilled != true {
        emit(.target(TargetChange(.reset, targets: [id])))
      }
      targets[id]?.isTouched = target.polled == nil
      return
    }
    guard let documents = try await reading.pages.next() else { return endReading(reading) }
    guard targets[id]?.polled != nil else {
      for document in documents { emit(.document(document, added: [id], removed: [])) }
      return
    }
    for document in documents {
      let version = document.updateTime.microsecondsSince1970
      let current = targets[id]?.polled?.reading ?? 0
      let known = targets[id]?.polled?.known.updateValue((version, current), forKey: document.path)
      if known?.updated != version { emit(.document(document, added: [id], removed: [])) }
    }
  }

  /// Called when all documents of a target were read.
  private func endReading(_ reading: LargeReading) {
    self.reading = nil
    let id = reading.target
    guard let polled = targets[id]?.polled else {
      // From here on, the server sends the changes.
      targets[id]?.resumption = reading.pages.readTime.map { .readTime($0) }
      return
    }
    for (path, entry) in polled.known where entry.reading != polled.reading {
      emit(.removed(path, from: [id]))
      targets[id]?.polled?.known[path] = nil
    }
    targets[id]?.polled?.isDirty = false
    targets[id]?.polled?.isFilled = true
    guard targets[id]?.phase != .current else { return }
    targets[id]?.phase = .current
    emit(.target(TargetChange(.current, targets: [id], readTime: reading.pages.readTime)))
  }
}
