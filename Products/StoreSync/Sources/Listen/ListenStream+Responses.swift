import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The responses of the server.
extension ListenStream {
  /// Processes a response of the server.
  func process(_ event: ListenEvent) {
    switch event {
    case .target(let change):
      if change.targets.isEmpty { return processGlobal(change) }
      for id in change.targets { process(change, of: id) }
    case .document(let document, let added, let removed):
      for id in added + removed where notifiers[id] != nil { touchNotifier(id) }
      let (added, removed) = (added.filter(isPassedOn), removed.filter(isPassedOn))
      guard !added.isEmpty || !removed.isEmpty else { return }
      for id in added + removed { targets[id]?.isTouched = true }
      emit(.document(document, added: added, removed: removed))
    case .removed(let path, let ids):
      for id in ids where notifiers[id] != nil { touchNotifier(id) }
      let ids = ids.filter(isPassedOn)
      guard !ids.isEmpty else { return }
      for id in ids { targets[id]?.isTouched = true }
      emit(.removed(path, from: ids))
    case .existenceFilter(let filter):
      guard isPassedOn(filter.target) else { return }
      targets[filter.target]?.isTouched = true
      emit(event)
    }
  }

  /// Whether the events of a target concern the listener: it exists, and the server owes no answer to a
  /// removal, before which its events are those of an earlier target.
  private func isPassedOn(_ id: Int) -> Bool {
    guard let target = targets[id], target.polled == nil else { return false }
    return !answers.includeRemoval(of: id)
  }

  /// Marks the target of a notifier as changed.
  private func touchNotifier(_ id: Int) {
    guard let target = notifiers[id] else { return }
    targets[target]?.polled?.isDirty = true
    targets[target]?.isTouched = true
  }

  /// Processes a change of one target.
  func process(_ change: TargetChange, of id: Int) {
    var change = change
    change.targets = [id]
    switch change.kind {
    case .added:
      settleRemovals(of: id)
      guard answers.take(of: id) == .added else { return }
      guard isPassedOn(id), targets[id]?.isConfirmed == false else { return }
      targets[id]?.isConfirmed = true
      recordToken(change.token, of: id)
      emit(.target(change))
    case .removed(let error): processRemoval(of: id, change, error)
    case .current:
      if notifiers[id] != nil { return notifierIsCurrent(id) }
      guard isPassedOn(id) else { return }
      targets[id]?.phase = .current
      targets[id]?.isTouched = true
      recordToken(change.token, of: id)
      emit(.target(change))
    case .reset:
      if let target = notifiers[id] {
        targets[target]?.polled?.wasReset = true
        return touchNotifier(id)
      }
      guard isPassedOn(id) else { return }
      targets[id]?.phase = .sending
      targets[id]?.isTouched = true
      recordToken(change.token, of: id)
      emit(.target(change))
    case .noChange:
      guard isPassedOn(id) else { return }
      recordToken(change.token, of: id)
      emit(.target(change))
    }
  }

  /// Processes the end of a target: the answer to its removal, or a refusal.
  private func processRemoval(of id: Int, _ change: TargetChange, _ error: (any Error)?) {
    switch answers.next(of: id) {
    case .removed, .replaced:
      if answers.take(of: id) == .removed { emit(.target(TargetChange(.removed(nil), targets: [id]))) }
      return
    case .added:
      // Without a reason, it is the answer to the removal of an earlier target, which had ended.
      guard error != nil else { return }
      _ = answers.take(of: id)
      guard answers.next(of: id) == nil else { return settleRemovals(of: id) }
    case nil: break
    }
    sentNotifiers.remove(id)
    if let target = notifiers.removeValue(forKey: id) {
      // The query of the notifier is that of the target.
      refuse(target, error ?? StoreRemoteError(.unknown, "The server has ended a target without a reason."))
    } else if targets[id]?.polled == nil, targets.removeValue(forKey: id) != nil {
      emit(.target(change))
    }
  }

  /// Answers removals in place of the server, which doesn't answer those of targets that had ended.
  private func settleRemovals(of id: Int) {
    while let answer = answers.next(of: id), answer != .added {
      if answers.take(of: id) == .removed { emit(.target(TargetChange(.removed(nil), targets: [id]))) }
    }
  }

  /// Keeps a token until the next consistent snapshot, from which on the target can be resumed with it.
  private func recordToken(_ token: Data?, of id: Int) {
    guard let token, !token.isEmpty else { return }
    targets[id]?.newToken = .token(token)
  }

  /// Processes a change of all targets, in particular a consistent snapshot.
  private func processGlobal(_ change: TargetChange) {
    if case .noChange = change.kind {
    } else {
      // No server sends this; the listener applies it to all its targets.
      for id in targets.keys { targets[id]?.isTouched = true }
      return emit(.target(change))
    }
    for id in targets.keys where targets[id]?.phase == .current { recordToken(change.token, of: id) }
    guard let time = change.readTime, lastSnapshot.map({ time.compare($0) >= 0 }) ?? true else { return }
    lastSnapshot = time
    for id in targets.keys {
      targets[id]?.isTouched = false
      if let token = targets[id]?.newToken {
        targets[id]?.resumption = token
        targets[id]?.expectedCount = nil
        targets[id]?.newToken = nil
      }
    }
    if targets.values.allSatisfy({ $0.phase == .current }) { failedChannels = 0 }
    let isDirty = targets.values.contains { $0.polled.map { $0.isCurrent && $0.isDirty } ?? false }
    guard isDirty else {
      heldSnapshot = nil
      return emit(.target(change))
    }
    heldSnapshot = change
  }
}
