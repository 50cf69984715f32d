/// An event that the sync engine reports to its owner, possibly in the middle of an operation.
package enum SyncReport {
  /// The reachability of the remote has changed.
  case onlineState(OnlineState)
  /// A stream has received something, or the network is enabled again.
  case remoteAnswered
  /// Nothing can be sent until the remote or the database has been repaired. Waiting observers receive the
  /// error after this.
  case sendingFailed
  /// The remote has rejected writes for whose answer no caller waits.
  case rejected(RejectedWrite)
  /// The rejected writes may have changed.
  case rejectionsChanged
  /// A write has left changes for ``SyncEngine/updateViews()``, which the owner must call once the write has
  /// returned.
  case viewsOutdated
}
