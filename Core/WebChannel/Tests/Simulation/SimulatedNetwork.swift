import Foundation
import TenonTesting

@testable import TenonWebChannel

/// How a simulated network and its users behave.
struct NetworkConditions {
  /// The longest delay of a request, and of each piece of a response.
  var delay: Duration = .milliseconds(200)
  /// The probability that a request or its response is lost at a random point, in percent.
  var breaks = 0
  /// The probability that nothing is ever heard of a request, in percent.
  var silences = 0
  /// The probability that a POST or a GET arrives twice, in percent.
  var duplicates = 0
  /// The size from which on the responses are cut into random pieces; `1...1` for single bytes.
  var pieces = 1...40
  /// Whether a proxy holds responses back until their end.
  var buffers = false
  /// The longest time until a delivered message is consumed.
  var consumption: Duration = .zero
  /// The longest time between messages of each side.
  var pause: Duration = .milliseconds(100)
  /// The number of messages of each side.
  var messages = 30
  /// The response that is broken after a number of bytes (its head counts as one), and no other.
  var cut: (kind: ChannelQuery.Kind, ordinal: Int, bytes: Int)?
  var client = ClientSettings()
  var server = ServerSettings()
}

/// A client and a server with a network between them that delays, cuts, duplicates and reorders, in virtual
/// time.
///
/// Everything is decided by the seed, so that a failed run can be repeated. Bytes of one response keep their
/// order, as in TCP; all else is delivered in any order.
struct Simulation {
  /// Something that happens at a time.
  enum Event {
    case arrives(ClientRequest, isCopy: Bool)
    case reachesClient(ResponseEvent, request: Int)
    case serverNotices(connection: Int)
    case consumes(ChannelMessage)
    case clientSends
    case serverSends
  }

  /// A response on its way.
  struct Connection {
    /// The request; `nil` for a copy, whose response is discarded.
    let request: Int?
    let kind: ChannelQuery.Kind
    /// How many bytes get through before it breaks; the head counts as one.
    var budget: Int
    /// When the piece sent last arrives.
    var lastArrival: Duration
    var isOver = false
    /// What a proxy holds back.
    var held: [ResponseEvent] = []
  }

  let conditions: NetworkConditions
  private var random: SeededGenerator
  private(set) var now: Duration = .zero
  private var events = EventQueue<Event>()
  private(set) var steps = 0

  private(set) var client: ClientChannel
  private(set) var session: ServerSession?
  private var connections: [Int: Connection] = [:]
  private var nextConnection = 0
  private var ordinals: [ChannelQuery.Kind: Int] = [:]

  /// The messages that each side has sent, and received.
  private(set) var sentByClient: [String] = []
  private(set) var sentByServer: [String] = []
  private(set) var receivedByServer: [String] = []
  private(set) var receivedByClient: [String] = []
  private(set) var end: ChannelEnd?
  private(set) var serverEnd: ServerEnd?
  private(set) var requests: [ChannelQuery.Kind: Int] = [:]
  /// How many responses were broken.
  private(set) var cuts = 0
  /// What must not happen, as far as it happened.
  private(set) var faults: [String] = []
  private(set) var mostUnconsumed = 0
  private(set) var mostUnacknowledged = 0
  private var unconsumed = 0
  private var isServerWaiting = false

  init(_ conditions: NetworkConditions, seed: UInt64) throws {
    self.conditions = conditions
    random = SeededGenerator(seed: seed)
    client = try ClientChannel(
      database: "projects/p/databases/(default)", headers: [.init("Authorization", "Bearer token")],
      settings: conditions.client, random: SeededGenerator(seed: seed &+ 1))
  }

  /// Whether both sides have received everything.
  var isComplete: Bool {
    receivedByServer.count == conditions.messages && receivedByClient.count == conditions.messages
  }

  // MARK: - Running

  /// Runs until everything has arrived or the channel has ended, then closes it and runs until the session
  /// has ended.
  mutating func run() throws {
    let first = text(of: "c", 0)
    sentByClient.append(first)
    perform(try client.start([Data(first.utf8)], at: now))
    schedule(.clientSends, within: conditions.pause)
    while end == nil, !isComplete, try step() {}
    if end == nil, !isComplete { faults.append("Nothing is going to happen any more.") }
    perform(client.close(at: now))
    while end == nil, try step() {}
    while let session, !session.isEnded, try step() {}
  }

  /// Lets the next event happen. Returns whether there was one.
  private mutating func step() throws -> Bool {
    steps += 1
    if steps > 200_000 {
      faults.append("The run doesn't end.")
      return false
    }
    let timers = [client.deadline, session?.deadline].compactMap(\.self)
    let timer = timers.min()
    if let timer, events.time.map({ $0 > timer }) ?? true {
      now = max(now, timer)
      if let due = client.deadline, due <= now { perform(client.advance(to: now)) }
      if let due = session?.deadline, due <= now { perform(session?.advance(to: now) ?? []) }
      return true
    }
    now = max(now, events.time ?? now)
    guard let event = events.removeFirst() else { return false }
    try handle(event)
    return true
  }

  private mutating func handle(_ event: Event) throws {
    switch event {
    case .arrives(let request, let isCopy): try arrive(request, isCopy: isCopy)
    case .reachesClient(let event, let request): perform(client.receive(event, of: request, at: now))
    case .serverNotices(let connection): session?.backChannelBroke(connection, at: now)
    case .consumes(let message):
      unconsumed -= message.cost
      perform(client.consumed(message, at: now))
    case .clientSends:
      guard sentByClient.count < conditions.messages, end == nil else { return }
      if client.wantsMessages {
        let message = text(of: "c", sentByClient.count)
        sentByClient.append(message)
        perform(try client.send(Data(message.utf8), at: now))
        schedule(.clientSends, within: conditions.pause)
      } else {
        schedule(.clientSends, within: max(conditions.pause, .milliseconds(100)))
      }
    case .serverSends:
      guard sentByServer.count < conditions.messages, let session, !session.isEnded else { return }
      guard session.wantsMessages else {
        isServerWaiting = true
        return
      }
      let message = text(of: "s", sentByServer.count)
      sentByServer.append(message)
      perform(try self.session?.send(Data(message.utf8), at: now) ?? [])
      mostUnacknowledged = max(mostUnacknowledged, self.session?.outbox.count ?? 0)
      schedule(.serverSends, within: conditions.pause)
    }
  }

  // MARK: - The client

  private mutating func perform(_ actions: [ClientAction]) {
    for action in actions {
      if end != nil { faults.append("There is an action after the end.") }
      switch action {
      case .send(let request): send(request)
      case .cancel(let number): cancel(number)
      case .opened: break
      case .deliver(let message):
        receivedByClient.append(String(decoding: message.payload, as: UTF8.self))
        unconsumed += message.cost
        mostUnconsumed = max(mostUnconsumed, unconsumed)
        schedule(.consumes(message), within: conditions.consumption)
      case .ended(let reason): end = reason
      }
    }
  }

  private mutating func send(_ request: ClientRequest) {
    requests[request.kind, default: 0] += 1
    if request.kind != .handshake, request.kind != .termination, chance(conditions.duplicates) {
      schedule(.arrives(request, isCopy: true), within: conditions.delay * 20)
    }
    if chance(conditions.silences) {
      // It may still arrive, but the client hears nothing.
      if chance(50) { schedule(.arrives(request, isCopy: true), within: conditions.delay) }
    } else if chance(conditions.breaks), chance(30) {
      schedule(.reachesClient(.failure, request: request.number), within: conditions.delay)
    } else {
      schedule(.arrives(request, isCopy: false), within: conditions.delay)
    }
  }

  private mutating func cancel(_ number: Int) {
    for (connection, state) in connections where state.request == number && !state.isOver {
      connections[connection]?.isOver = true
      schedule(.serverNotices(connection: connection), within: conditions.delay)
    }
  }

  // MARK: - The server

  private mutating func arrive(_ request: ClientRequest, isCopy: Bool) throws {
    let connection = nextConnection
    nextConnection += 1
    let ordinal = ordinals[request.kind, default: 0]
    ordinals[request.kind] = ordinal + 1
    var budget = chance(conditions.breaks) ? Int.random(in: 0...400, using: &random) : Int.max
    if let cut = conditions.cut, cut.kind == request.kind, cut.ordinal == ordinal { budget = cut.bytes }
    connections[connection] = Connection(
      request: isCopy ? nil : request.number, kind: request.kind, budget: budget, lastArrival: now)
    // Both sides build and read real queries and forms.
    let query = try ChannelQuery(parsing: request.query.encoded)
    let kind = try query.kind(isPost: request.kind != .backChannel)
    let form = try ChannelForm(parsing: request.body ?? Data())
    do throws(ChannelError) {
      switch kind {
      case .handshake:
        session = ServerSession(id: "S\(connection)", settings: conditions.server, at: now)
        try answer(connection) { session, now throws(ChannelError) in
          try session.handshake(query, form, at: now)
        }
        schedule(.serverSends, within: conditions.pause)
      case .forward:
        guard query.sessionID == session?.id else { return refuse(connection) }
        try answer(connection) { session, now throws(ChannelError) in
          try session.forward(query, form, at: now)
        }
      case .backChannel:
        guard query.sessionID == session?.id else { return refuse(connection) }
        guard var open = session else { return }
        let actions = try open.openBackChannel(connection, query, at: now)
        session = open
        deliver(.head(status: 200, stickySession: nil), on: connection)
        perform(actions)
      case .termination:
        perform(session?.terminate(at: now) ?? [])
      }
    } catch {
      refuse(connection)
    }
  }

  private mutating func answer(
    _ connection: Int, _ call: (inout ServerSession, Duration) throws(ChannelError) -> ServerAnswer
  ) throws(ChannelError) {
    guard var open = session else { return }
    let answer = try call(&open, now)
    session = open
    perform(answer.actions)
    deliver(.head(status: 200, stickySession: nil), on: connection)
    deliver(.bytes(answer.body), on: connection)
    deliver(.end, on: connection)
  }

  private mutating func refuse(_ connection: Int) {
    deliver(.head(status: 400, stickySession: nil), on: connection)
    deliver(.end, on: connection)
  }

  private mutating func perform(_ actions: [ServerAction]) {
    for action in actions {
      if serverEnd != nil { faults.append("There is an action after the end of the session.") }
      switch action {
      case .write(let bytes, let connection): deliver(.bytes(bytes), on: connection)
      case .end(let connection): deliver(.end, on: connection)
      case .deliver(let message):
        if message.number != receivedByServer.count { faults.append("A message has another number.") }
        receivedByServer.append(String(decoding: message.payload, as: UTF8.self))
      case .wantsMessages:
        if isServerWaiting { schedule(.serverSends, within: conditions.pause) }
        isServerWaiting = false
      case .ended(let reason): serverEnd = reason
      }
    }
  }

  // MARK: - The network

  /// Sends a part of a response on its way.
  private mutating func deliver(_ event: ResponseEvent, on number: Int) {
    guard var connection = connections[number], !connection.isOver else { return }
    if conditions.buffers, connection.kind == .backChannel {
      connection.held.append(event)
      if case .end = event {
        for event in connection.held { transmit(event, on: number, &connection) }
      }
    } else {
      transmit(event, on: number, &connection)
    }
    connections[number] = connection
  }

  private mutating func transmit(_ event: ResponseEvent, on number: Int, _ connection: inout Connection) {
    guard !connection.isOver else { return }
    switch event {
    case .head:
      guard spend(1, on: number, &connection) else { return }
      reach(event, &connection)
    case .bytes(let bytes):
      var rest = bytes
      while !rest.isEmpty {
        let piece = rest.prefix(min(Int.random(in: conditions.pieces, using: &random), connection.budget))
        if !piece.isEmpty { reach(.bytes(Data(piece)), &connection) }
        guard spend(max(piece.count, 1), on: number, &connection) else { return }
        rest = rest.dropFirst(piece.count)
      }
    case .end, .failure:
      connection.isOver = true
      reach(event, &connection)
    }
  }

  /// Takes bytes from the budget, and breaks the connection if there are none left.
  private mutating func spend(_ bytes: Int, on number: Int, _ connection: inout Connection) -> Bool {
    guard connection.budget >= bytes else {
      connection.isOver = true
      cuts += 1
      reach(.failure, &connection)
      // The server may learn of it much later, or by the next back channel only.
      if chance(70) { schedule(.serverNotices(connection: number), within: conditions.delay * 10) }
      return false
    }
    connection.budget -= bytes
    return true
  }

  private mutating func reach(_ event: ResponseEvent, _ connection: inout Connection) {
    guard let request = connection.request else { return }
    connection.lastArrival = max(now, connection.lastArrival) + duration(within: conditions.delay / 10)
    events.add(.reachesClient(event, request: request), at: connection.lastArrival)
  }

  // MARK: - Chance

  private mutating func schedule(_ event: Event, within delay: Duration) {
    events.add(event, at: now + duration(within: delay))
  }

  private mutating func duration(within delay: Duration) -> Duration {
    .microseconds(Int64.random(in: 0...max(delay.milliseconds * 1_000, 0), using: &random))
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Returns a message with characters of one to four bytes, quotes, brackets and escapes.
  private mutating func text(of side: String, _ number: Int) -> String {
    let parts = ["a", "é", "€", "😀", "\\\"", "\\\\", "[", "}", "\\u003c", " ", "error", ",", "%", "+", "&="]
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &random) { text += parts.randomElement(using: &random) ?? "" }
    return #"{"\#(side)": [\#(number), {"text": "\#(text)"}], "n": null}"#
  }
}
