import TenonFoundation

extension ServerSession {
  /// Delivers the messages of a form whose turn it is, and keeps those that are early.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/full`` if too many are early. Nothing was delivered
  ///   then.
  mutating func accept(_ form: ChannelForm) throws(ChannelError) {
    // What follows the last entry of a session has no receiver.
    guard phase == .open else { return }
    let early = form.first > nextMessage ? form.messages.count : 0
    let bytes = early > 0 ? form.messages.reduce(0) { $0 + ChannelMessage.cost(of: $1) } : 0
    guard early == 0 || waiting.count + early <= settings.reorderedMessages,
      waitingBytes + bytes <= settings.reorderedBytes
    else {
      throw ChannelError(.full, "Too many messages wait for an earlier one. Send that one first.")
    }
    for (index, message) in form.messages.enumerated() {
      let number = form.first + index
      if number == nextMessage {
        deliver(message)
      } else if number > nextMessage, waiting.updateValue(message, forKey: number) == nil {
        waitingBytes += ChannelMessage.cost(of: message)
      }
    }
    while let message = waiting.removeValue(forKey: nextMessage) {
      waitingBytes -= ChannelMessage.cost(of: message)
      deliver(message)
    }
  }

  /// Delivers the next message.
  private mutating func deliver(_ message: Data) {
    // It may also have arrived in another form, earlier and out of order.
    if let copy = waiting.removeValue(forKey: nextMessage) { waitingBytes -= ChannelMessage.cost(of: copy) }
    actions.append(.deliver(ChannelMessage(number: nextMessage, payload: message)))
    nextMessage += 1
  }
}
