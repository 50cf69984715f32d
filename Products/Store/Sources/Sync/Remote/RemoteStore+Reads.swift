/// The outcome of reads, which don't use the streams.
extension RemoteStore {
  /// A read wasn't answered, so nothing else waits for the remote either, unless listeners need a stream that is online.
  func readFails() {
    guard usesNetwork, targets.isEmpty || onlineState.state != .online else { return }
    onlineState.readFails()
  }

  /// Ends the offline state after a read was answered, unless listeners need a stream that is offline.
  func leaveOffline() {
    guard usesNetwork, targets.isEmpty, onlineState.state == .offline else { return }
    onlineState.set(.unknown)
  }
}
