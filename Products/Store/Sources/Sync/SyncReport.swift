/// What the sync engine reports to its owner.
package enum SyncReport {
  /// It became known whether the remote can be reached.
  case onlineState(OnlineState)
  /// A stream has received something, or the network may be used again.
  case remoteAnswered
  /// Nothing can be sent until the remote or the database has been repaired. Those who wait for it get the error after this.
  case sendingFailed
  /// The rejected writes may have changed.
  case rejectionsChanged
}
