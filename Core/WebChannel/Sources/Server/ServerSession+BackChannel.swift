import TenonFoundation

extension ServerSession {
  /// Appends an entry to the outbox.
  mutating func append(_ content: ChannelEntry.Content) {
    let text = FrameWriter.json(of: content)
    outbox.append(text)
    outboxBytes += ChannelMessage.cost(of: text)
  }

  /// Removes entries that the client has received, and ends the session if that was the last one.
  mutating func acknowledge(through number: MessageNumber) {
    for text in outbox.removeAll(before: number + 1) {
      outboxBytes -= ChannelMessage.cost(of: text)
      // Only entries that were written can be acknowledged.
      writtenBytes -= ChannelMessage.cost(of: text)
    }
    if case .closing = phase, outbox.isEmpty { return end(.closed) }
    guard isFull, outbox.count <= settings.outboxEntries / 2, outboxBytes <= settings.outboxBytes / 2 else {
      return
    }
    isFull = false
    if phase == .open { actions.append(.wantsMessages) }
  }

  /// Writes the entries that weren't written to the open back channel, and ends it if that is due.
  mutating func flush(at now: Duration) {
    guard var open = backChannel else { return }
    var contents: [(number: MessageNumber, json: Data)] = []
    var bytes = 0
    let hasEntries = open.lastWritten + 1 < outbox.next
    while open.lastWritten + 1 < outbox.next {
      open.lastWritten += 1
      let text = outbox[open.lastWritten]
      contents.append((open.lastWritten, text))
      bytes += text.count
      if open.lastWritten > lastWritten {
        lastWritten = open.lastWritten
        writtenBytes += ChannelMessage.cost(of: text)
      }
      if bytes >= settings.frameBytes || open.lastWritten + 1 == outbox.next {
        actions.append(.write(FrameWriter.frame(contents: contents), to: open.number))
        contents = []
        bytes = 0
      }
    }
    if hasEntries { open.noopAt = now + settings.keepAlive }
    backChannel = open
    let isClosing = if case .closing = phase { true } else { false }
    if hasEntries && open.polls || isFull || isClosing { endBackChannel(at: now) }
  }

  /// Ends the open back channel.
  mutating func endBackChannel(at now: Duration) {
    guard let backChannel else { return }
    actions.append(.end(backChannel.number))
    forgetBackChannel(at: now)
  }

  /// Records that the back channel has ended.
  mutating func forgetBackChannel(at now: Duration) {
    backChannel = nil
    idleAt = now + settings.idleTime
  }

  /// Sends the last entry.
  mutating func finish(with content: ChannelEntry.Content, at now: Duration) -> [ServerAction] {
    guard phase == .open else { return [] }
    phase = .closing(until: now + settings.closingTime)
    waiting = [:]
    waitingBytes = 0
    append(content)
    flush(at: now)
    return takeActions()
  }
}
