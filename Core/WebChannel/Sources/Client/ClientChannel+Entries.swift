extension ClientChannel {
  /// Receives an entry. Those that were received before are dropped, because a server may repeat them.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/gap`` if entries before it are missing; they would
  ///   never come, because a server repeats only what wasn't acknowledged, in order.
  mutating func receive(_ entry: ChannelEntry, at now: Duration) throws(ChannelError) {
    guard entry.number > lastEntry else { return }
    guard entry.number == lastEntry + 1 else {
      throw ChannelError(
        .gap, "The entry \(entry.number) follows the entry \(lastEntry). Open another channel.")
    }
    lastEntry = entry.number
    backChannelAttempts = 0
    backChannel?.hasEntry = true
    switch entry.content {
    case .handshake(let session):
      guard phase != .open else {
        throw ChannelError(.badContent, "The server opened a session within a session.")
      }
      open(session, at: now)
    case .close: end(.closedByServer)
    case .stop: end(.stopped)
    case .failure(let failure): end(.failed(failure))
    case .noop, .message:
      guard phase == .open else {
        throw ChannelError(.badContent, "The first entry isn't the answer to the handshake.")
      }
      if case .message(let payload) = entry.content {
        let message = ChannelMessage(number: entry.number, payload: payload)
        unconsumed += message.cost
        actions.append(.deliver(message))
      }
    }
  }
}
