extension ComponentContainer {
  /// Deletes the container (R8) after its children: waits for creations under way and for who borrows an instance, runs
  /// the `onDelete` actions in reverse order of creation, and releases every instance. Every later `resolve` throws.
  ///
  /// Calling it again waits for the same deletion.
  public func delete() async {
    let task = deletion.withLock { deletion in
      let task = deletion ?? Task { await self.retireInstances() }
      deletion = task
      return task
    }
    await task.value
  }

  private func retireInstances() async {
    for child in liveChildren.reversed() { await child.delete() }
    await life.beginDeletion()
    let old = updates.withLock { wiring.exchange(.empty) }
    handles.withLock { $0.live }.forEach { $0.follow(.empty) }
    await life.giveUp(removing: old?.own.map(\.component) ?? [], replacing: old.map { [$0] } ?? []).value
    life.endDeletion()
    for answer in deferredRequests.withLock({ requests in requests.take { _ in true } }) { answer(self) }
  }
}
