/// What is found out by reads, which don't use the streams.
extension RemoteStore {
  /// A read wasn't answered. Then nobody else waits for the remote; but a stream that has been heard of, and that listeners
  /// need, knows better.
  func readFails() {
    guard usesNetwork, targets.isEmpty || onlineState.state != .online else { return }
    onlineState.readFails()
  }

  /// Nobody says any more that the remote can't be reached, unless a stream does that listeners need.
  func leaveOffline() {
    guard usesNetwork, targets.isEmpty, onlineState.state == .offline else { return }
    onlineState.set(.unknown)
  }
}
