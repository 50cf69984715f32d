import TenonBasics

extension ComponentContainer {
  /// Deletes the container and its children (R8).
  ///
  /// Deletion waits for creations under way and for borrowed instances, cancels a ``start()`` that is under
  /// way and waits for it, runs the `onDelete` actions in reverse order of creation, and releases every
  /// instance. Children are deleted first. Every later `resolve` throws; so does the creation of a `.unique`
  /// component that is under way if it needs a shared instance that was released or doesn't exist yet.
  ///
  /// Calling it again waits for the same deletion. If an `onStart` action of the container or of one of its
  /// children calls it, it returns immediately, because the deletion waits for the action to end. Cancelling
  /// the calling task has no effect on the deletion.
  public func delete() async {
    let task = deletion.withLock { deletion in
      let task =
        deletion ?? Task { await StartAction.$current.withValue(nil) { await self.retireInstances() } }
      deletion = task
      return task
    }
    if let action = StartAction.current, action.isAwaited(by: self) { return }
    await task.value
  }

  /// Performs the deletion. Called once per container, in a separate task.
  ///
  /// The order matters. New creations are rejected and those under way end before the graph is removed,
  /// because they may still resolve what they need. Actions of a start end before the instances on which they
  /// run are retired. Instances that were released before are retired before the others, which they may need.
  private func retireInstances() async {
    for child in liveChildren.reversed() { await child.delete() }
    await life.beginDeletion()
    // Those that were created in the meantime. From here on, none is created.
    for child in family.withGraphs({ liveChildren }).reversed() { await child.delete() }
    await starts.cancel()
    let old = family.withGraphs { wiring.exchange(.empty) }
    followers.withLock { $0.live }.forEach { $0.follow(.empty) }
    await life.waitForRetirements()
    if let old { await life.retireInstances(removing: old.components, of: old, isReplaced: true).value }
    life.endDeletion()
    endDeferred(isGone: false)
  }

  /// Releases the shared instances of some of the container's own components. The next `resolve` creates them
  /// again.
  ///
  /// - Parameter isMeant: returns whether to release the instance of a component. Called once for each
  ///   component that this container creates itself, also in place of one of its parent.
  /// - Returns: the task that runs the `onDelete` actions.
  @inline(never) func retireInstances(where isMeant: (GraphNode) -> Bool) -> Task<Void, Never> {
    let wiring = currentWiring
    return life.retireInstances(wiring.own.filter(isMeant).compactMap(\.component), of: wiring)
  }
}
