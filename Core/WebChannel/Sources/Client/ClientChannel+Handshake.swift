import TenonFoundation

extension ClientChannel {
  /// The handshake's request.
  struct Handshake: Sendable {
    /// The number of the request.
    let number: Int
    let startedAt: Duration
    /// The entries of the response.
    var reader: EntryReader
    /// The status of a response other than 200.
    var refusal: Int?
    /// The beginning of its body.
    var refusalBody = Data()
  }

  /// The maximum size of what is kept of the body of a response with a status other than 200.
  private static let refusalBodyLimit = 4 << 10

  /// When the handshake must have been answered; `nil` if it was.
  var handshakeDeadline: Duration? {
    guard phase == .opening || phase == .closing, let handshake else { return nil }
    return handshake.startedAt + settings.handshakeTimeout
  }

  /// Sends the handshake with the first messages.
  mutating func sendHandshake(at now: Duration) {
    phase = .opening
    let (batch, form) = nextBatch(headers: headers)
    self.batch = batch
    let query = ChannelQuery(
      requestID: .number(batch.requestID), clientVersion: 22, stickyParameter: "gsessionid")
    let number = perform(.handshake, query, form)
    handshake = Handshake(
      number: number, startedAt: now, reader: EntryReader(limits: settings.limits))
  }

  /// Takes note of what became of the handshake. It isn't repeated.
  mutating func receiveHandshake(_ event: ResponseEvent, at now: Duration) {
    switch event {
    case .head(200, let stickySession): self.stickySession = self.stickySession ?? stickySession
    case .head(let status, _): handshake?.refusal = status
    case .bytes(let bytes):
      if handshake?.refusal != nil {
        let room = Self.refusalBodyLimit - (handshake?.refusalBody.count ?? 0)
        // Checked: the limit minus a size that never exceeds it.
        handshake?.refusalBody.append(bytes.prefix(room))
      } else {
        handshake?.reader.append(bytes)
        readHandshake(at: now)
      }
    case .end, .failure: endHandshake(event == .end)
    }
  }

  /// Reads the handshake's response. After the handshake's entry, there may be others.
  mutating func readHandshake(at now: Duration) {
    do throws(ChannelError) {
      while phase != .ended, wantsBytes, let entry = try handshake?.reader.next() {
        try receive(entry, at: now)
      }
    } catch {
      end(.invalid(error))
    }
  }

  /// Takes note that the session exists.
  mutating func open(_ session: ChannelHandshake, at now: Duration) {
    sessionID = session.sessionID
    hostPrefix = session.hostPrefix
    keepAlive = session.keepAlive ?? settings.keepAlive
    handshakeTime = now - (handshake?.startedAt ?? now)
    headers = []
    if phase == .closing { return end(.closed) }
    phase = .open
    actions.append(.opened)
    acknowledgeBatch()
    openBackChannel(at: now)
    sendNext(at: now)
  }

  /// Takes note that the response of the handshake has ended.
  private mutating func endHandshake(_ isComplete: Bool) {
    guard let ended = handshake else { return }
    handshake = nil
    // What is missing of entries after the handshake's is repeated by the back channel.
    if phase == .open { return }
    if phase == .closing { return end(.closed) }
    if let status = ended.refusal { return end(.refused(status: status, body: ended.refusalBody)) }
    guard isComplete else { return end(.unreachable) }
    end(.invalid(ChannelError(.badContent, "The answer to the handshake has no session.")))
  }

  /// Ends the channel if the handshake took too long.
  mutating func advanceHandshake(to now: Duration) {
    guard let handshakeDeadline, handshakeDeadline <= now else { return }
    if phase == .closing { return end(.closed) }
    if let handshake, let status = handshake.refusal {
      return end(.refused(status: status, body: handshake.refusalBody))
    }
    end(.handshakeTimeout)
  }
}
