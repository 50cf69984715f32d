import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct ServerSessionTests {
  // MARK: - Handshake

  @Test func theHandshakeIsAnsweredAndDelivered() throws {
    var server = ServerHarness()
    try server.handshake(["a", "b"])
    var reader = FrameReader()
    reader.append(Data(server.answers[0].utf8))
    let frame = try reader.next()
    let text = String(decoding: try #require(frame), as: UTF8.self)
    #expect(text == #"[[0,["c","SID","",8,12,30000]]]"#)
    #expect(server.delivered == ["a", "b"])
  }

  @Test(arguments: [nil, 1, 21]) func anOldClientIsNotToldTheKeepAliveTime(version: Int?) throws {
    var server = ServerHarness()
    try server.handshake([], version: version)
    #expect(server.answers[0].hasSuffix(#"[[0,["c","SID","",8,12]]]"#))
  }

  @Test func aSessionBeginsWithOneHandshake() throws {
    var server = ServerHarness()
    #expect(throws: ChannelError.self) { try server.post(0, ["a"]) }
    #expect(throws: ChannelError.self) { try server.open(acknowledging: 0) }
    #expect { try server.session.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
    let late = ServerHarness.form(1, ["a"])
    #expect(throws: ChannelError.self) {
      try server.session.handshake(ChannelQuery(requestID: .number(1)), late, at: .zero)
    }
    try server.handshake(["a"])
    #expect { try server.handshake(["a"]) } throws: { ($0 as? ChannelError)?.code == .badRequest }
    #expect(server.delivered == ["a"])
  }

  // MARK: - Messages of the client

  @Test func repeatedMessagesAreDelivereredOnce() throws {
    var server = try ServerHarness.opened()
    try server.post(1, ["a", "b"])
    try server.post(1, ["a", "b"])
    try server.post(0, ["h", "a", "b", "c"])
    try server.post(2, ["b", "c", "d"])
    #expect(server.delivered == ["h", "a", "b", "c", "d"])
  }

  @Test func earlyMessagesWaitForTheirTurn() throws {
    var server = try ServerHarness.opened()
    try server.post(4, ["d", "e"])
    try server.post(3, ["c", "d"])
    try server.post(6, ["f"])
    #expect(server.delivered == ["h"])
    try server.post(1, ["a", "b"])
    #expect(server.delivered == ["h", "a", "b", "c", "d", "e", "f"])
    #expect(server.session.waiting.isEmpty && server.session.waitingBytes == 0)
    #expect(
      server.actions.compactMap { if case .deliver(let message) = $0 { message.number } else { nil } }
        == Array(0...6))
  }

  @Test func messagesThatArriveTwiceEarlyCountOnce() throws {
    var server = try ServerHarness.opened()
    for _ in 0..<5 { try server.post(2, ["b", "c"]) }
    #expect(server.session.waitingBytes == 130)
    try server.post(1, ["a", "b", "c", "d"])
    #expect(server.delivered == ["h", "a", "b", "c", "d"] && server.session.waitingBytes == 0)
  }

  @Test func earlyMessagesAreBounded() throws {
    var settings = ServerSettings()
    settings.reorderedMessages = 3
    settings.reorderedBytes = 1_000
    var server = try ServerHarness.opened(settings)
    try server.post(2, ["b", "c", "d"])
    #expect { try server.post(5, ["e"]) } throws: { ($0 as? ChannelError)?.code == .full }
    try server.post(1, ["a"])
    try server.post(7, [String(repeating: "x", count: 900)])
    #expect { try server.post(9, ["g"]) } throws: { ($0 as? ChannelError)?.code == .full }
    // What is in order is accepted, however large.
    try server.post(5, ["e", String(repeating: "y", count: 2_000)])
    #expect(server.delivered.count == 8)
  }

  @Test func aRefusedPostChangesNothing() throws {
    var server = try ServerHarness.opened()
    #expect { try server.post(1, ["a"], acknowledging: 1) } throws: {
      ($0 as? ChannelError)?.code == .badRequest
    }
    #expect(server.delivered == ["h"])
    try server.post(1, ["a"])
    #expect(server.delivered == ["h", "a"])
  }

  @Test func answersTellWhatWasSent() throws {
    var server = try ServerHarness.opened()
    try server.post(1, [])
    try server.send("{}")
    try server.post(1, [])
    #expect(server.answers.suffix(2) == ["7\n[0,0,0]", "7\n[0,0,0]"])
    try server.open(acknowledging: 0)
    try server.send("{}")
    try server.post(1, [])
    #expect(server.answers.last == "9\n[1,2,136]")
    try server.post(1, [], acknowledging: 1)
    #expect(server.answers.last == "8\n[1,2,68]")
    server.broke(1)
    try server.post(1, [], acknowledging: 2)
    #expect(server.answers.last == "7\n[0,2,0]")
  }

  // MARK: - Entries

  @Test func entriesAreWrittenAtOnceAndRepeatedUntilTheyAreAcknowledged() throws {
    var server = try ServerHarness.opened()
    try server.send("1")
    let first = try server.open(acknowledging: 0)
    try server.send("2")
    try server.send("3")
    #expect(try server.written(first) == ["[[1,[1]]]", "[[2,[2]]]", "[[3,[3]]]"])
    let second = try server.open(acknowledging: 1)
    #expect(server.ended == [first])
    #expect(try server.written(second) == ["[[2,[2]],[3,[3]]]"])
    #expect(server.session.outbox.count == 2)
    try server.post(1, [], acknowledging: 3)
    #expect(server.session.outbox.count == 0 && server.session.outboxBytes == 0)
    let third = try server.open(acknowledging: nil)
    #expect(try server.written(third) == [#"[[4,["noop"]]]"#])
  }

  @Test func aRequestThatWasOvertakenReplacesNothing() throws {
    var server = try ServerHarness.opened()
    try server.send("1")
    try server.open(acknowledging: 0)
    let live = try server.open(acknowledging: 1)
    let stale = try server.open(acknowledging: 0)
    #expect(server.ended.last == stale && server.session.hasBackChannel)
    try server.send("2")
    #expect(try server.written(live).last == "[[3,[2]]]" && server.written(stale).isEmpty)
  }

  @Test func nothingThatWasNotSentCanBeAcknowledged() throws {
    var server = try ServerHarness.opened()
    try server.send("1")
    #expect { try server.open(acknowledging: 1) } throws: { ($0 as? ChannelError)?.code == .badRequest }
    let connection = try server.open(acknowledging: -1)
    #expect(try server.written(connection) == ["[[1,[1]]]"])
  }

  @Test func largeBacklogsAreWrittenInSeveralFrames() throws {
    var settings = ServerSettings()
    settings.frameBytes = 20
    var server = try ServerHarness.opened(settings)
    for number in 1...5 { try server.send("1234567\(number)") }
    let connection = try server.open(acknowledging: 0)
    let frames = try server.written(connection)
    #expect(
      frames == ["[[1,[12345671]],[2,[12345672]]]", "[[3,[12345673]],[4,[12345674]]]", "[[5,[12345675]]]"])
  }

  @Test func aFullOutboxStopsTheSourceAndEndsTheBackChannel() throws {
    var settings = ServerSettings()
    settings.outboxEntries = 4
    var server = try ServerHarness.opened(settings)
    let first = try server.open(acknowledging: 0)
    for number in 1...3 { try server.send("\(number)") }
    #expect(!server.session.wantsMessages && server.ended == [first])
    #expect { try server.session.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .full }
    #expect(try server.written(first).count == 4)
    try server.post(1, [], acknowledging: 1)
    #expect(!server.session.wantsMessages && !server.actions.contains(.wantsMessages))
    let second = try server.open(acknowledging: 4)
    #expect(server.session.wantsMessages && server.actions.filter { $0 == .wantsMessages }.count == 1)
    try server.send("4")
    #expect(try server.written(second).last == "[[6,[4]]]" && server.session.hasBackChannel)
  }

  @Test func theOutboxIsBoundedInBytes() throws {
    var settings = ServerSettings()
    settings.outboxBytes = 1_000
    var server = try ServerHarness.opened(settings)
    try server.send(String(repeating: "1", count: 5_000))
    #expect(!server.session.wantsMessages)
    let first = try server.open(acknowledging: 0)
    #expect(server.ended == [first])
    try server.open(acknowledging: 1)
    #expect(server.session.wantsMessages && server.session.hasBackChannel)
  }

  // MARK: - Times

  @Test func anIdleBackChannelGetsANoopAndAnEnd() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0)
    #expect(try server.written(first) == [#"[[1,["noop"]]]"#])
    server.wait(.milliseconds(29_999))
    #expect(try server.written(first).count == 1)
    server.wait(.milliseconds(1))
    #expect(try server.written(first).last == #"[[2,["noop"]]]"#)
    server.wait(.milliseconds(29_999))
    #expect(server.ended.isEmpty)
    server.wait(.milliseconds(1))
    #expect(server.ended == [first] && !server.session.hasBackChannel)
  }

  @Test func anEntryPutsOffTheNoop() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0)
    server.wait(.seconds(20))
    try server.send("1")
    server.wait(.seconds(29))
    #expect(try server.written(first).count == 2)
    server.wait(.seconds(1))
    #expect(try server.written(first).count == 3)
  }

  @Test func aLongPollEndsWithTheFirstEntries() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0, polls: true)
    #expect(try server.written(first).isEmpty && server.ended.isEmpty)
    try server.send("1")
    #expect(try server.written(first) == ["[[1,[1]]]"] && server.ended == [first])
    try server.send("2")
    try server.send("3")
    let second = try server.open(acknowledging: 1, polls: true)
    #expect(try server.written(second) == ["[[2,[2]],[3,[3]]]"] && server.ended == [first, second])
  }

  @Test(arguments: [(nil, 25), (Duration.seconds(5), 5), (.seconds(100_000), 60)] as [(Duration?, Int)])
  func aLongPollEndsWithANoopAfterItsTime(timeout: Duration?, seconds: Int) throws {
    var settings = ServerSettings()
    settings.keepAlive = .seconds(1_000)
    var server = try ServerHarness.opened(settings)
    let first = try server.open(acknowledging: 0, polls: true, timeout: timeout)
    server.wait(.seconds(seconds) - .milliseconds(1))
    #expect(server.ended.isEmpty)
    server.wait(.milliseconds(1))
    #expect(try server.written(first) == [#"[[1,["noop"]]]"#] && server.ended == [first])
  }

  @Test func aSessionWithoutRequestsEnds() throws {
    var server = try ServerHarness.opened()
    server.wait(.seconds(299))
    try server.post(1, [])
    server.wait(.seconds(299))
    let first = try server.open(acknowledging: 0)
    server.wait(.seconds(60 + 299))
    #expect(server.end == nil && server.ended == [first])
    server.wait(.seconds(1))
    #expect(server.end == .idle && server.session.isEnded && server.session.deadline == nil)
    #expect { try server.post(1, []) } throws: { ($0 as? ChannelError)?.code == .ended }
    #expect { try server.open(acknowledging: 0) } throws: { ($0 as? ChannelError)?.code == .ended }
    #expect { try server.session.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
  }

  @Test func aSessionWithoutAHandshakeEnds() {
    var server = ServerHarness()
    server.wait(.seconds(300))
    #expect(server.end == .idle)
  }

  @Test func aSessionWhoseBackChannelBrokeEnds() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0)
    server.wait(.seconds(20))
    server.broke(first)
    server.broke(first + 1)
    server.wait(.seconds(299))
    #expect(server.end == nil)
    server.wait(.seconds(1))
    #expect(server.end == .idle && server.ended.isEmpty)
  }

  @Test func theEndOfAnotherBackChannelIsNotThatOfTheOpenOne() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0)
    let second = try server.open(acknowledging: 1)
    server.broke(first)
    try server.send("1")
    #expect(try server.written(second).last == "[[3,[1]]]")
  }

  // MARK: - Ends

  @Test func aTerminatedSessionHasEnded() throws {
    var server = try ServerHarness.opened()
    let first = try server.open(acknowledging: 0)
    server.terminate()
    server.terminate()
    #expect(
      server.end == .terminated && server.ended == [first] && server.actions.last == .ended(.terminated))
    #expect { try server.post(1, ["a"]) } throws: { ($0 as? ChannelError)?.code == .ended }
  }

  @Test func theLastEntryIsKeptUntilItIsAcknowledged() throws {
    for (kind, text) in [
      ("close", #"["close"]"#), ("stop", #"["stop"]"#),
      ("fail", #"[{"error":{"code":7,"message":"No.","status":"PERMISSION_DENIED"}}]"#),
    ] {
      var server = try ServerHarness.opened()
      let first = try server.open(acknowledging: 0)
      try server.send("1")
      switch kind {
      case "close": server.close()
      case "stop": server.stop()
      default: server.fail(ChannelFailure(code: 7, status: "PERMISSION_DENIED", message: "No."))
      }
      server.close()
      #expect(try server.written(first).last == "[[3,\(text)]]" && server.ended == [first])
      #expect { try server.session.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
      // The response was lost.
      let second = try server.open(acknowledging: 2)
      #expect(try server.written(second) == ["[[3,\(text)]]"] && server.ended == [first, second])
      try server.post(1, ["a"], acknowledging: 2)
      #expect(server.delivered == ["h"] && server.end == nil)
      let third = try server.open(acknowledging: 3)
      #expect(server.end == .closed && server.ended.last == third && server.actions.last == .ended(.closed))
    }
  }

  @Test func theLastEntryIsNotKeptForEver() throws {
    var server = try ServerHarness.opened()
    server.close()
    server.wait(.seconds(29))
    try server.open(acknowledging: 0)
    #expect(server.end == nil)
    server.wait(.seconds(1))
    #expect(server.end == .closed)
  }

  @Test func theSessionsIDIsNotPartOfDescriptions() {
    #expect(!"\(ServerHarness().session)".contains("SID"))
  }
}
