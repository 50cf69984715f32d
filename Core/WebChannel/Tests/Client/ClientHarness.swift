import Foundation
import TenonTesting

@testable import TenonWebChannel

/// A client's channel whose requests a test answers by hand.
struct ClientHarness {
  var channel: ClientChannel
  /// All actions so far.
  private(set) var actions: [ClientAction] = []
  var now: Duration = .zero

  init(_ settings: ClientSettings = ClientSettings(), seed: UInt64 = 1) throws {
    channel = try ClientChannel(
      database: "projects/p/databases/(default)", headers: [.init("Authorization", "Bearer secret")],
      settings: settings,
      random: SeededGenerator(seed: seed))
  }

  /// A channel whose handshake took 100 ms, with its first back channel open and answered.
  static func opened(_ settings: ClientSettings = ClientSettings(), seed: UInt64 = 1) throws -> ClientHarness
  {
    var harness = try ClientHarness(settings, seed: seed)
    try harness.start(["{}"])
    harness.now += .milliseconds(100)
    harness.answerHandshake()
    harness.head()
    return harness
  }

  /// The requests of a kind, in order.
  func requests(_ kind: ChannelQuery.Kind) -> [ClientRequest] {
    actions.compactMap { if case .send(let request) = $0, request.kind == kind { request } else { nil } }
  }

  var backChannels: [ClientRequest] { requests(.backChannel) }
  var posts: [ClientRequest] { requests(.forward) }
  var end: ChannelEnd? {
    actions.compactMap { if case .ended(let end) = $0 { end } else { nil } }.first
  }
  /// The error with which the channel has ended, if the server violates the protocol.
  var invalid: ChannelError? { if case .invalid(let error) = end { error } else { nil } }
  var delivered: [String] {
    actions.compactMap {
      if case .deliver(let message) = $0 { String(decoding: message.payload, as: UTF8.self) } else { nil }
    }
  }
  var messages: [ChannelMessage] {
    actions.compactMap { if case .deliver(let message) = $0 { message } else { nil } }
  }
  var cancelled: [Int] {
    actions.compactMap { if case .cancel(let number) = $0 { number } else { nil } }
  }
  /// The number of a POST.
  static func number(_ id: ChannelQuery.RequestID?) -> Int? {
    if case .number(let number)? = id { number } else { nil }
  }
  /// The messages of a request.
  static func texts(_ request: ClientRequest?) throws -> [String] {
    try ChannelForm(parsing: request?.body ?? Data()).messages.map { String(decoding: $0, as: UTF8.self) }
  }

  mutating func start(_ messages: [String]) throws {
    actions += try channel.start(messages.map { Data($0.utf8) }, at: now)
  }
  mutating func send(_ message: String) throws {
    actions += try channel.send(Data(message.utf8), at: now)
  }
  mutating func receive(_ event: ResponseEvent, of request: ClientRequest?) {
    actions += channel.receive(event, of: request?.number ?? -1, at: now)
  }
  mutating func close() { actions += channel.close(at: now) }
  mutating func consume(_ message: ChannelMessage) { actions += channel.consumed(message, at: now) }

  /// Moves the time on to the deadline.
  mutating func wait() {
    guard let deadline = channel.deadline else { return }
    now = max(now, deadline)
    actions += channel.advance(to: now)
  }
  /// Moves the time on, with everything that is due until then.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    // Bounded, so that a deadline that doesn't pass fails the test instead of hanging it.
    for _ in 0..<1_000 where channel.deadline.map({ $0 <= end }) ?? false { wait() }
    now = end
    actions += channel.advance(to: now)
  }

  mutating func answerHandshake(
    _ text: String = #"[[0,["c","SID=","",8,12,30000]]]"#, stickySession: String? = nil
  ) {
    let request = requests(.handshake).last
    receive(.head(status: 200, stickySession: stickySession), of: request)
    receive(.bytes(Data(FrameWriter.frame(Array(text.utf8)))), of: request)
    receive(.end, of: request)
  }
  mutating func head(_ status: Int = 200) {
    receive(.head(status: status, stickySession: nil), of: backChannels.last)
  }
  mutating func bytes(_ text: String) {
    receive(.bytes(FrameWriter.frame(Array(text.utf8))), of: backChannels.last)
  }
  /// Answers the last POST.
  mutating func answerPost(_ text: String = "[1,0,0]", status: Int = 200) {
    let post = posts.last
    receive(.head(status: status, stickySession: nil), of: post)
    receive(.bytes(FrameWriter.frame(Array(text.utf8))), of: post)
    receive(.end, of: post)
  }
}
