import TenonStore

/// Hears when all listeners agree.
func snapshotsInSync() throws {
  // expect: 'addSnapshotsInSyncListener' is unavailable: Iterate over a stream: for await _ in store.snapshotsInSync { … }.
  let listener = try Store.store().addSnapshotsInSyncListener {
    print("in sync")
  }
  listener.remove()
}
