import Foundation

@testable import TenonWebChannel

/// A server's session that a test drives by hand, as a client's requests would.
struct ServerHarness {
  var session: ServerSession
  private(set) var actions: [ServerAction] = []
  private(set) var answers: [String] = []
  var now: Duration = .zero
  private var connections = 0

  init(_ settings: ServerSettings = ServerSettings()) {
    session = ServerSession(id: "SID", settings: settings, at: .zero)
  }

  static func opened(_ settings: ServerSettings = ServerSettings()) throws -> ServerHarness {
    var harness = ServerHarness(settings)
    try harness.handshake(["h"])
    return harness
  }

  static func form(_ first: Int, _ messages: [String]) -> ChannelForm {
    ChannelForm(first: first, messages: messages.map { Data($0.utf8) })
  }

  var delivered: [String] {
    actions.compactMap {
      if case .deliver(let message) = $0 { String(decoding: message.payload, as: UTF8.self) } else { nil }
    }
  }
  var ended: [Int] { actions.compactMap { if case .end(let number) = $0 { number } else { nil } } }
  var end: ServerEnd? { actions.compactMap { if case .ended(let end) = $0 { end } else { nil } }.first }
  /// The texts of the frames that were written to a back channel.
  func written(_ connection: Int) throws -> [String] {
    var reader = FrameReader()
    for case .write(let bytes, connection) in actions { reader.append(bytes) }
    var texts: [String] = []
    while let frame = try reader.next() { texts.append(String(decoding: frame, as: UTF8.self)) }
    return texts
  }

  mutating func handshake(_ messages: [String], version: Int? = 22) throws {
    let query = ChannelQuery(requestID: .number(1), clientVersion: version)
    let answer = try session.handshake(query, Self.form(0, messages), at: now)
    answers.append(String(decoding: answer.body, as: UTF8.self))
    actions += answer.actions
  }
  mutating func post(_ first: Int, _ messages: [String], acknowledging: Int = 0) throws {
    let query = ChannelQuery(requestID: .number(2), sessionID: "SID", acknowledged: acknowledging)
    let answer = try session.forward(query, Self.form(first, messages), at: now)
    answers.append(String(decoding: answer.body, as: UTF8.self))
    actions += answer.actions
  }
  @discardableResult
  mutating func open(acknowledging: Int?, polls: Bool = false, timeout: Duration? = nil) throws -> Int {
    connections += 1
    let query = ChannelQuery(
      requestID: .backChannel, sessionID: "SID", acknowledged: acknowledging, isLongPolling: polls,
      timeout: timeout)
    actions += try session.openBackChannel(connections, query, at: now)
    return connections
  }
  mutating func send(_ message: String) throws { actions += try session.send(Data(message.utf8), at: now) }
  mutating func terminate() { actions += session.terminate(at: now) }
  mutating func close() { actions += session.close(at: now) }
  mutating func stop() { actions += session.stop(at: now) }
  mutating func fail(_ failure: ChannelFailure) { actions += session.fail(failure, at: now) }
  mutating func broke(_ connection: Int) { session.backChannelBroke(connection, at: now) }
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    // Bounded, so that a deadline that doesn't pass fails the test instead of hanging it.
    for _ in 0..<1_000 {
      guard let deadline = session.deadline, deadline <= end else { break }
      now = max(now, deadline)
      actions += session.advance(to: now)
    }
    now = end
    actions += session.advance(to: now)
  }
}
