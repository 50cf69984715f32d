/// The effect of reads, which don't use the streams, on the online state.
extension RemoteExchange {
  /// Whether the listen stream was tried and doesn't work.
  var listenFails: Bool { onlineState.state == .offline || listenStream.waitsUntil != nil }

  /// Called when a read wasn't answered: the remote counts as offline, unless listeners have a stream that is
  /// online. No effect while the network isn't used.
  func readFails() {
    guard usesNetwork, targets.isEmpty || onlineState.state != .online else { return }
    onlineState.readFails()
  }

  /// Ends the offline state after a read was answered, unless listeners need a stream that is offline. The
  /// state becomes unknown, because only a stream can be online.
  func leaveOffline() {
    guard usesNetwork, targets.isEmpty, onlineState.state == .offline else { return }
    onlineState.set(.unknown)
  }
}
