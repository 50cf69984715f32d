package import TenonFoundation

/// The client's side of one WebChannel session, as a state machine without a network and without a clock.
///
/// The driver calls a method for everything that happens, and does what the returned actions say, in their
/// order. Whenever ``deadline`` is reached, it calls ``advance(to:)``. Times are durations since any fixed
/// instant; they never decrease.
///
/// Every message of the client reaches the server exactly once and in order, and vice versa, or the channel
/// ends with a reason. When it ends, the messages that the server hasn't acknowledged may or may not have
/// arrived.
package struct ClientChannel: Sendable, CustomStringConvertible {
  /// The state of a channel.
  enum Phase: Sendable, Hashable {
    /// ``ClientChannel/start(_:at:)`` wasn't called.
    case idle
    /// The handshake is under way.
    case opening
    /// The handshake is under way, and ``ClientChannel/close(at:)`` was called.
    case closing
    /// There is a session.
    case open
    /// The channel has ended.
    case ended
  }

  /// The times and limits.
  let settings: ClientSettings
  /// The full name of the database.
  let database: String
  /// The source of jitter.
  var random: any RandomNumberGenerator & Sendable
  /// The header fields of the handshake; empty after it.
  var headers: [ChannelForm.Header]
  var phase = Phase.idle
  /// The actions of the current call.
  var actions: [ClientAction] = []

  /// The number of the next request, for the driver.
  var nextRequest = 0
  /// The `RID` of the next POST.
  var nextRequestID: Int

  // MARK: Session

  /// The ID of the session; `nil` before the handshake's answer.
  var sessionID: String?
  /// The value of the header `X-HTTP-Session-Id`, if the server sends it.
  var stickySession: String?
  /// The label before the host's name for back channels.
  var hostPrefix: String?
  /// The longest time without bytes that the server keeps.
  var keepAlive: Duration
  /// The time from the handshake's request to its answer.
  var handshakeTime: Duration = .zero
  /// The handshake, until its response ends.
  var handshake: Handshake?

  // MARK: From the server

  /// The number of the last entry that was received.
  var lastEntry: MessageNumber = -1
  /// The back channel that is open.
  var backChannel: BackChannel?
  /// When a back channel is to be opened.
  var backChannelRetry: Duration?
  /// How many back channels were opened again since the last entry.
  var backChannelAttempts = 0
  /// When the entries that an answer to a POST announced must have arrived.
  var overdue: Duration?
  /// Whether a proxy was detected or ruled out.
  var hasDetectedBuffering: Bool
  /// Whether back channels are long polls.
  var polls: Bool
  /// The size of messages that were delivered and not consumed.
  var unconsumed = 0

  // MARK: To the server

  /// The messages that the server hasn't acknowledged.
  var outgoing = NumberedQueue<Data>(first: 0)
  /// The size of these messages.
  var outgoingBytes = 0
  /// The messages that were sent last, until the server acknowledges them.
  var batch: Batch?
  /// The POST that is under way.
  var post: Post?
  /// When ``batch`` is to be sent again.
  var postRetry: Duration?
  /// How often ``batch`` was repeated.
  var postAttempts = 0

  /// Creates a channel that hasn't started.
  ///
  /// - Parameters:
  ///   - database: the full name of the database, for example `projects/demo/databases/(default)`.
  ///   - headers: the header fields in the handshake's body, for example `Authorization`. They are forgotten
  ///     after the handshake.
  ///   - settings: times and limits.
  ///   - random: the source of the first request's number and of the jitter of delays.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badRequest`` if a header has an invalid name, or a
  ///   control character.
  package init(
    database: String, headers: [ChannelForm.Header] = [], settings: ClientSettings = ClientSettings(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) throws(ChannelError) {
    guard headers.allSatisfy(\.isValid) else {
      throw ChannelError(
        .badRequest,
        "A header field has an invalid name or value. Values must not contain control characters.")
    }
    self.database = database
    self.headers = headers
    self.settings = settings
    self.random = random
    nextRequestID = Int.random(in: 0...99_999, using: &self.random)
    keepAlive = settings.keepAlive
    polls = settings.usesLongPolling
    hasDetectedBuffering = settings.usesLongPolling || !settings.detectsBuffering
  }

  // MARK: - State

  /// The time at which ``advance(to:)`` must be called, or `nil`. It may change with every call.
  package var deadline: Duration? {
    let always = [handshakeDeadline, post?.deadline, postRetry, backChannelRetry]
    // While the driver doesn't read, silence means nothing.
    let reading = wantsBytes ? [backChannel?.watchdog, backChannel?.bufferingDeadline, overdue] : []
    return (always + reading).compactMap(\.self).min()
  }

  /// Whether bytes of the back channel should be read. If not, the driver stops reading until a call of
  /// ``consumed(_:at:)`` changes it.
  ///
  /// Bytes that are still received are held, up to the limit for a frame.
  package var wantsBytes: Bool { unconsumed < settings.unconsumedBytes }

  /// Whether ``send(_:at:)`` accepts a message.
  package var wantsMessages: Bool {
    phase != .ended && phase != .closing && outgoing.count < settings.queuedMessages
      && outgoingBytes < settings.queuedBytes
  }

  /// Whether the channel has ended.
  package var isEnded: Bool { phase == .ended }
  /// Whether the handshake has succeeded and the channel hasn't ended.
  package var isOpen: Bool { phase == .open }
  /// Whether the channel polls, because a proxy buffers responses or the settings say so.
  package var isLongPolling: Bool { polls }
  /// The state, without the session's ID and the header fields.
  package var description: String { "client channel, \(phase), last entry \(lastEntry)" }

  // MARK: - Calls

  /// Starts the channel with the first messages, which are part of the handshake if they fit into one POST.
  ///
  /// - Parameter messages: JSON texts. Firestore's server expects at least one.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/full`` for too many messages, or with
  ///   ``ChannelError/Code/ended`` if the channel was started before. The channel is unchanged then.
  package mutating func start(
    _ messages: [Data], at now: Duration
  ) throws(ChannelError) -> [ClientAction] {
    guard phase == .idle else {
      throw ChannelError(.ended, "A channel can be started only once. Create another one.")
    }
    guard outgoing.count + messages.count <= settings.queuedMessages else { throw Self.full }
    for message in messages { enqueue(message) }
    sendHandshake(at: now)
    return takeActions()
  }

  /// Queues a message, and sends it if the channel is open and no POST is under way.
  ///
  /// - Parameter message: JSON text.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/full`` if too many messages or bytes are queued, or
  ///   with ``ChannelError/Code/ended``. The channel is unchanged then.
  package mutating func send(_ message: Data, at now: Duration) throws(ChannelError) -> [ClientAction] {
    guard phase != .ended, phase != .closing else {
      throw ChannelError(.ended, "The channel has ended. Open another one.")
    }
    guard wantsMessages else { throw Self.full }
    enqueue(message)
    sendNext(at: now)
    return takeActions()
  }

  /// Takes note of what became of a request. Reports about requests that were cancelled or have ended are
  /// ignored.
  package mutating func receive(
    _ event: ResponseEvent, of request: Int, at now: Duration
  ) -> [ClientAction] {
    if phase == .ended { return [] }
    switch request {
    case handshake?.number: receiveHandshake(event, at: now)
    case backChannel?.number: receiveBackChannel(event, at: now)
    case post?.number: receivePost(event, at: now)
    default: break
    }
    return takeActions()
  }

  /// Takes note that a delivered message has been processed.
  package mutating func consumed(_ message: ChannelMessage, at now: Duration) -> [ClientAction] {
    let wasPaused = !wantsBytes
    unconsumed = max(unconsumed - message.cost, 0)
    if phase != .ended, wasPaused, wantsBytes { resume(at: now) }
    return takeActions()
  }

  /// Does what is due: attempts whose delay is over, and timeouts. Calls before ``deadline`` do nothing.
  package mutating func advance(to now: Duration) -> [ClientAction] {
    if phase == .ended { return [] }
    advanceHandshake(to: now)
    advancePosts(to: now)
    advanceBackChannel(to: now)
    return takeActions()
  }

  /// Ends the channel: the session is terminated, and messages that wait are dropped. During the handshake,
  /// ``ClientAction/ended(_:)`` follows only after its answer or its deadline, because only then the session
  /// can be terminated.
  package mutating func close(at now: Duration) -> [ClientAction] {
    switch phase {
    case .idle, .open: end(.closed)
    case .opening: phase = .closing
    case .closing, .ended: break
    }
    return takeActions()
  }

  // MARK: - Parts

  /// Returns the actions of the current call, and forgets them.
  private mutating func takeActions() -> [ClientAction] {
    defer { actions = [] }
    return actions
  }

  private static let full = ChannelError(
    .full, "Too many messages wait to be sent. Try again when the server has acknowledged some.")

  /// Sends a request.
  ///
  /// - Parameter query: the parameters except those that all requests have.
  /// - Returns: its number.
  mutating func perform(_ kind: ChannelQuery.Kind, _ query: ChannelQuery, _ form: ChannelForm? = nil) -> Int {
    var query = query
    query.database = database
    query.sessionID = sessionID
    query.stickySession = stickySession
    let number = nextRequest
    nextRequest += 1
    let body = kind == .backChannel ? nil : form?.encoded ?? Data()
    let prefix = kind == .backChannel && settings.usesHostPrefix ? hostPrefix : nil
    actions.append(
      .send(ClientRequest(number: number, kind: kind, query: query, body: body, hostPrefix: prefix)))
    return number
  }

  /// Returns the `RID` of a new POST.
  mutating func newRequestID() -> Int {
    defer { nextRequestID += 1 }
    return nextRequestID
  }

  /// Returns the delay before an attempt: none before the first one, then the same with jitter.
  mutating func delay(before attempt: Int) -> Duration {
    guard attempt > 0 else { return .zero }
    // Checked: the program sets the maximum, and it isn't negative here.
    let jitter = Int64.random(in: 0...max(settings.retryJitter.milliseconds, 0), using: &random)
    // Checked: a Duration has room for every number of milliseconds.
    return settings.retryDelay + .milliseconds(jitter)
  }

  /// Ends the channel.
  ///
  /// - Parameter sessionLives: whether the server may still know the session, so that it must be terminated.
  mutating func end(_ reason: ChannelEnd, sessionLives: Bool = true) {
    guard phase != .ended else { return }
    phase = .ended
    for number in [handshake?.number, backChannel?.number, post?.number] {
      if let number { actions.append(.cancel(number)) }
    }
    if sessionLives, sessionID != nil {
      _ = perform(
        .termination, ChannelQuery(requestID: .number(newRequestID()), type: "terminate"))
    }
    actions.append(.ended(reason))
    handshake = nil
    backChannel = nil
    post = nil
    backChannelRetry = nil
    postRetry = nil
    overdue = nil
    headers = []
    batch = nil
    outgoing = NumberedQueue(first: outgoing.next)
    outgoingBytes = 0
  }

  /// Ends the channel because of the status of a response, if it isn't 200.
  ///
  /// - Returns: whether it is 200.
  mutating func accepts(status: Int) -> Bool {
    switch status {
    case 200: return true
    // Google's emulator answers 400 for an unknown session, production 400 or 404.
    case 400, 404: end(.unknownSession, sessionLives: false)
    default: end(.refused(status: status, body: Data()))
    }
    return false
  }
}
