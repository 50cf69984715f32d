package import TenonFoundation

/// The server's side of one WebChannel session, as a state machine without a network and without a clock.
///
/// The driver finds the session by the `SID` of a request, calls the method for its kind
/// (``ChannelQuery/kind(isPost:)``), and does what the returned actions say. A request whose method throws is
/// answered with status 400, and the session goes on. Whenever ``deadline`` is reached, the driver calls
/// ``advance(to:)``. Times are durations since any fixed instant; they never decrease.
///
/// Every message of the client is delivered exactly once and in order. Entries are numbered and kept until
/// the client acknowledges their numbers, which it does with every request. If the limits for entries are
/// reached, the back channel ends, so that the client opens another one and thereby acknowledges what it has
/// received.
package struct ServerSession: Sendable, CustomStringConvertible {
  /// The state of a session.
  enum Phase: Sendable, Hashable {
    /// Before the handshake.
    case new
    /// Messages are sent and received.
    case open
    /// The last entry was sent; the client can fetch it until the given time.
    case closing(until: Duration)
    /// The session has ended.
    case ended
  }

  /// A response to which entries are written.
  struct BackChannel: Sendable {
    /// The driver's number for it.
    let number: Int
    /// Whether it ends with the first entries.
    let polls: Bool
    /// When it ends.
    let endsAt: Duration
    /// The number of the last entry that was written to it, or acknowledged before it.
    var lastWritten: MessageNumber
    /// When a `noop` is due.
    var noopAt: Duration
  }

  /// The ID of the session. It must be random and unguessable, because it is the only proof of who continues
  /// the session.
  package let id: String
  let settings: ServerSettings
  var phase = Phase.new
  /// When the session ends if there is no request; only without a back channel.
  var idleAt: Duration
  /// The actions of the current call.
  var actions: [ServerAction] = []

  // MARK: From the client

  /// The number of the next message that is delivered.
  var nextMessage: MessageNumber = 0
  /// The messages that wait for one before them.
  var waiting: [MessageNumber: Data] = [:]
  /// The size of these messages.
  var waitingBytes = 0

  // MARK: To the client

  /// The contents of the entries that the client hasn't acknowledged, as JSON text.
  var outbox = NumberedQueue<Data>(first: 1)
  /// The size of these contents.
  var outboxBytes = 0
  /// The number of the last entry that was ever written, and the size of the written ones that aren't
  /// acknowledged.
  var lastWritten: MessageNumber = 0
  var writtenBytes = 0
  /// Whether a limit was reached. It ends when half of the limits are free.
  var isFull = false
  /// The back channel that is open.
  var backChannel: BackChannel?

  /// Creates a session for a handshake.
  ///
  /// - Parameters:
  ///   - id: a new random ID of letters and digits.
  ///   - settings: times and limits.
  package init(id: String, settings: ServerSettings = ServerSettings(), at now: Duration) {
    self.id = id
    self.settings = settings
    idleAt = now + settings.idleTime
  }

  // MARK: - State

  /// The time at which ``advance(to:)`` must be called, or `nil`. It may change with every call.
  package var deadline: Duration? {
    guard phase != .ended else { return nil }
    let expiry =
      if case .closing(let end) = phase { end } else { backChannel == nil ? idleAt : nil as Duration? }
    return [expiry, backChannel?.endsAt, backChannel?.noopAt].compactMap(\.self).min()
  }

  /// Whether ``send(_:at:)`` accepts a message. After it became false, ``ServerAction/wantsMessages`` says
  /// when it is true again.
  package var wantsMessages: Bool { phase == .open && !isFull }
  /// Whether the session has ended.
  package var isEnded: Bool { phase == .ended }
  /// Whether a back channel is open.
  package var hasBackChannel: Bool { backChannel != nil }
  /// The state, without the ID.
  package var description: String { "server session, \(outbox.count) entries not acknowledged" }

  // MARK: - Calls

  /// Answers the handshake, and delivers its messages.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badRequest`` if this isn't the first request or
  ///   `ofs` isn't 0.
  package mutating func handshake(
    _ query: ChannelQuery, _ form: ChannelForm, at now: Duration
  ) throws(ChannelError) -> ServerAnswer {
    guard phase == .new, form.first == 0 else {
      throw ChannelError(.badRequest, "A handshake must be the first request of a session, with ofs=0.")
    }
    phase = .open
    idleAt = now + settings.idleTime
    try accept(form)
    // Clients that don't know the keep-alive time don't expect it in the answer either.
    let keepAlive = (query.clientVersion ?? 0) >= 22 ? settings.keepAlive : nil
    let session = ChannelHandshake(sessionID: id, keepAlive: keepAlive)
    let body = FrameWriter.frame([ChannelEntry(number: 0, content: .handshake(session))])
    return ServerAnswer(body: body, actions: takeActions())
  }

  /// Accepts a POST: messages that were delivered before are dropped, and those that are early wait for those
  /// before them.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/full`` if too many messages would wait,
  ///   ``ChannelError/Code/badRequest``, or ``ChannelError/Code/ended``.
  package mutating func forward(
    _ query: ChannelQuery, _ form: ChannelForm, at now: Duration
  ) throws(ChannelError) -> ServerAnswer {
    try begin(query, at: now)
    try accept(form)
    let answer = ForwardAnswer(
      hasBackChannel: backChannel != nil, lastNumber: lastWritten, outstandingBytes: writtenBytes)
    return ServerAnswer(body: answer.frame, actions: takeActions())
  }

  /// Opens a back channel, which replaces the one that is open, and writes all entries that the client hasn't
  /// acknowledged.
  ///
  /// A request that acknowledges less than an earlier one was overtaken by it; its response ends immediately
  /// and replaces nothing.
  ///
  /// - Parameters:
  ///   - number: a number by which the actions name it, which the driver never uses again.
  ///   - query: the parameters of the GET.
  /// - Throws: as ``forward(_:_:at:)``.
  package mutating func openBackChannel(
    _ number: Int, _ query: ChannelQuery, at now: Duration
  ) throws(ChannelError) -> [ServerAction] {
    // The handshake's answer, entry 0, was received if the client knows the session.
    let received = max(query.acknowledged ?? outbox.first - 1, 0)
    guard phase == .new || phase == .ended || received >= outbox.first - 1 else { return [.end(number)] }
    try begin(query, at: now)
    if phase == .ended {
      actions.insert(.end(number), at: 0)
      return takeActions()
    }
    if let backChannel { actions.append(.end(backChannel.number)) }
    let wait = query.isLongPolling ? query.timeout ?? settings.longPollingTimeout : settings.backChannelTime
    backChannel = BackChannel(
      number: number, polls: query.isLongPolling, endsAt: now + min(wait, settings.backChannelTime),
      lastWritten: outbox.first - 1, noopAt: now + settings.keepAlive)
    // The first byte shows the client that no proxy holds the response back.
    if outbox.isEmpty, !query.isLongPolling { append(.noop) }
    flush(at: now)
    return takeActions()
  }

  /// Takes note that the client has closed the connection of a back channel, or that writing to it failed.
  package mutating func backChannelBroke(_ number: Int, at now: Duration) {
    if backChannel?.number == number { forgetBackChannel(at: now) }
  }

  /// Sends a message.
  ///
  /// - Parameter payload: JSON text in valid UTF-8.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/full`` if ``wantsMessages`` is false, or with
  ///   ``ChannelError/Code/ended`` before the handshake and after the session's end was sent.
  package mutating func send(_ payload: Data, at now: Duration) throws(ChannelError) -> [ServerAction] {
    guard phase == .open else {
      throw ChannelError(.ended, "The session isn't open. Nothing can be sent after its end.")
    }
    guard !isFull else {
      throw ChannelError(
        .full, "Too many messages are unacknowledged. Wait for the client's acknowledgement.")
    }
    append(.message(payload))
    isFull = outbox.count >= settings.outboxEntries || outboxBytes >= settings.outboxBytes
    flush(at: now)
    return takeActions()
  }

  /// Sends a failure, after which nothing can be sent.
  package mutating func fail(_ failure: ChannelFailure, at now: Duration) -> [ServerAction] {
    finish(with: .failure(failure), at: now)
  }

  /// Sends an orderly end (`close`), after which nothing can be sent.
  package mutating func close(at now: Duration) -> [ServerAction] { finish(with: .close, at: now) }

  /// Sends an abort (`stop`), after which nothing can be sent.
  package mutating func stop(at now: Duration) -> [ServerAction] { finish(with: .stop, at: now) }

  /// Ends the session because the client asks for it, or because the server needs its memory.
  package mutating func terminate(at now: Duration) -> [ServerAction] {
    end(.terminated)
    return takeActions()
  }

  /// Does what is due: `noop`, the end of a back channel, the end of an idle session. Calls before
  /// ``deadline`` do nothing.
  package mutating func advance(to now: Duration) -> [ServerAction] {
    if case .closing(let end) = phase, end <= now {
      self.end(.closed)
    } else if let open = backChannel {
      if open.endsAt <= now {
        // A client that polls takes a response without an entry for a failure.
        if open.polls { append(.noop) }
        flush(at: now)
        endBackChannel(at: now)
      } else if open.noopAt <= now {
        append(.noop)
        flush(at: now)
      }
    } else if phase != .ended, idleAt <= now {
      end(.idle)
    }
    return takeActions()
  }

  // MARK: - Parts

  /// Returns the actions of the current call, and forgets them.
  mutating func takeActions() -> [ServerAction] {
    defer { actions = [] }
    return actions
  }

  /// Begins a request: the session lives on, and the client acknowledges entries.
  ///
  /// - Throws: ``ChannelError``; the session is unchanged then.
  private mutating func begin(_ query: ChannelQuery, at now: Duration) throws(ChannelError) {
    switch phase {
    case .new: throw ChannelError(.badRequest, "A session begins with a handshake.")
    case .ended: throw ChannelError(.ended, "The session has ended. Open another one.")
    case .open, .closing: break
    }
    let received = query.acknowledged ?? 0
    guard received <= lastWritten else {
      throw ChannelError(.badRequest, "The request acknowledges entries that weren't sent.")
    }
    idleAt = now + settings.idleTime
    acknowledge(through: received)
  }

  /// Ends the session.
  mutating func end(_ reason: ServerEnd) {
    guard phase != .ended else { return }
    phase = .ended
    if let backChannel { actions.append(.end(backChannel.number)) }
    backChannel = nil
    outbox = NumberedQueue(first: outbox.next)
    outboxBytes = 0
    writtenBytes = 0
    waiting = [:]
    waitingBytes = 0
    actions.append(.ended(reason))
  }
}
