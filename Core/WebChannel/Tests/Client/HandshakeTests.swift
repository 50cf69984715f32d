import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct HandshakeTests {
  @Test func theHandshakeCarriesHeadersAndTheFirstMessages() throws {
    var client = try ClientHarness()
    try client.start(["{\"a\":1}", "{\"b\":2}"])
    let request = try #require(client.requests(.handshake).first)
    #expect(client.actions.count == 1)
    #expect(request.query.sessionID == nil && request.query.acknowledged == nil)
    #expect(request.query.clientVersion == 22 && request.query.stickyParameter == "gsessionid")
    #expect(request.query.database == "projects/p/databases/(default)")
    let id = try #require(ClientHarness.number(request.query.requestID))
    #expect((0...99_999).contains(id))
    let form = try ChannelForm(parsing: try #require(request.body))
    #expect(form.headers == [.init("Authorization", "Bearer secret")] && form.first == 0)
    #expect(try ClientHarness.texts(request) == ["{\"a\":1}", "{\"b\":2}"])
    #expect(!"\(request) \(client.channel) \(client.actions) \(form.headers)".contains("secret"))
    var query = request.query
    query.sessionID = "secret"
    query.headers = "secret"
    #expect(!"\(query)".contains("secret"))
  }

  @Test func messagesWaitForTheHandshake() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    try client.send("1")
    try client.send("2")
    #expect(client.actions.count == 1)
    client.answerHandshake()
    #expect(client.channel.isOpen && client.actions.contains(.opened))
    #expect(client.backChannels.count == 1 && client.posts.count == 1)
    #expect(try ClientHarness.texts(client.posts.first) == ["1", "2"])
    #expect(try ChannelForm(parsing: client.posts[0].body ?? Data()).first == 1)
    #expect(try ChannelForm(parsing: client.posts[0].body ?? Data()).headers.isEmpty)
  }

  @Test func laterRequestsNameTheSession() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.answerHandshake(stickySession: "sticky")
    try client.send("1")
    client.close()
    let first = try #require(client.requests(.handshake).first?.query.requestID)
    let id = try #require(ClientHarness.number(first))
    for request in client.backChannels + client.posts + client.requests(.termination) {
      #expect(request.query.sessionID == "SID=" && request.query.stickySession == "sticky")
      #expect(request.query.database == "projects/p/databases/(default)")
      #expect(request.query.stickyParameter == nil && request.query.headers == nil)
    }
    let back = try #require(client.backChannels.first)
    #expect(
      back.query.requestID == .backChannel && back.query.acknowledged == 0 && back.query.type == "xmlhttp")
    #expect(back.body == nil && !back.query.isLongPolling && back.query.timeout == nil)
    #expect(client.posts[0].query.requestID == .number(id + 1) && client.posts[0].query.acknowledged == 0)
    let last = try #require(client.requests(.termination).first)
    #expect(last.query.requestID == .number(id + 2) && last.query.type == "terminate" && last.body == Data())
  }

  @Test(arguments: [true, false]) func backChannelsUseTheHostPrefix(isUsed: Bool) throws {
    var settings = ClientSettings()
    settings.usesHostPrefix = isUsed
    var client = try ClientHarness(settings)
    try client.start(["{}"])
    client.answerHandshake(#"[[0,["c","S","near-7",8,12]]]"#)
    try client.send("1")
    #expect(client.backChannels.first?.hostPrefix == (isUsed ? "near-7" : nil))
    #expect(client.posts.first?.hostPrefix == nil)
  }

  @Test func entriesMayFollowInTheHandshakesResponse() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.answerHandshake(#"[[0,["c","S","",8]],[1,[{"a":1}]],[2,["noop"]]]"#)
    #expect(client.delivered == [#"{"a":1}"#])
    client.bytes(#"[[1,[{"a":1}]],[2,["noop"]],[3,[{"a":2}]]]"#)
    #expect(client.delivered == [#"{"a":1}"#, #"{"a":2}"#])
  }

  @Test func aHandshakeHasADeadlineOfItsOwn() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    #expect(client.channel.deadline == .seconds(15))
    client.wait(.milliseconds(14_999))
    #expect(client.end == nil)
    client.wait(.milliseconds(1))
    #expect(client.end == .handshakeTimeout && client.cancelled == [0])
    #expect(client.requests(.termination).isEmpty && client.channel.deadline == nil)
  }

  @Test func aHandshakeIsNotRepeated() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.receive(.failure, of: client.requests(.handshake).first)
    #expect(client.end == .unreachable && client.requests(.handshake).count == 1)
  }

  @Test func aRefusalComesWithTheBeginningOfItsBody() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    let request = client.requests(.handshake).first
    client.receive(.head(status: 403, stickySession: nil), of: request)
    for _ in 0..<100 { client.receive(.bytes(Data(repeating: 65, count: 100)), of: request) }
    #expect(client.end == nil)
    client.receive(.end, of: request)
    #expect(client.end == .refused(status: 403, body: Data(repeating: 65, count: 4 << 10)))
  }

  @Test func aRefusalWhoseBodyDoesNotEndIsReportedAtTheDeadline() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.receive(.head(status: 503, stickySession: nil), of: client.requests(.handshake).first)
    client.wait(.seconds(15))
    #expect(client.end == .refused(status: 503, body: Data()))
  }

  @Test(arguments: [
    (
      #"[[0,[{"error":{"code":16,"message":"m","status":"UNAUTHENTICATED"}}]]]"#,
      ChannelEnd.failed(ChannelFailure(code: 16, status: "UNAUTHENTICATED", message: "m"))
    ),
    (#"[[0,["stop"]]]"#, .stopped), (#"[[0,["close"]]]"#, .closedByServer),
  ])
  func theServerMayRefuseInAnEntry(text: String, end: ChannelEnd) throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.answerHandshake(text)
    #expect(client.end == end && client.requests(.termination).isEmpty)
  }

  @Test(arguments: [#"[[0,["noop"]]]"#, #"[[0,[{"a":1}]]]"#, "[]", #"[[1,["c","S"]]]"#, "[1,2,3]", "x"])
  func anythingElseIsInvalid(text: String) throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.answerHandshake(text)
    #expect(client.invalid != nil)
  }

  @Test func aSessionThatIsClosedDuringTheHandshakeIsTerminatedAfterIt() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.close()
    #expect(client.end == nil && client.cancelled.isEmpty)
    #expect(throws: ChannelError.self) { try client.channel.send(Data(), at: .zero) }
    client.answerHandshake()
    #expect(client.end == .closed && client.requests(.termination).count == 1)
    #expect(client.backChannels.isEmpty && client.posts.isEmpty)
  }

  @Test(arguments: [ResponseEvent.failure, .end]) func aClosedChannelEndsWhenTheHandshakeDoes(
    event: ResponseEvent
  ) throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.close()
    client.receive(event, of: client.requests(.handshake).first)
    #expect(client.end == .closed)
    var other = try ClientHarness()
    try other.start(["{}"])
    other.close()
    other.wait(.seconds(15))
    #expect(other.end == .closed && other.cancelled == [0])
  }

  @Test func aChannelStartsOnce() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    #expect { try client.channel.start([], at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
    var closed = try ClientHarness()
    closed.close()
    #expect(closed.end == .closed && closed.channel.isEnded)
    #expect { try closed.channel.start([], at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
  }

  @Test(arguments: [("A\r\nB", "x"), ("A", "x\r\nB: y"), ("A:", "x"), ("", "x"), ("A", "\u{0}")])
  func aHeaderCanNotSmuggleAnother(name: String, value: String) {
    #expect { try ClientChannel(database: "d", headers: [.init(name, value)]) } throws: {
      ($0 as? ChannelError)?.code == .badRequest && !"\($0)".contains(value)
    }
  }
}
