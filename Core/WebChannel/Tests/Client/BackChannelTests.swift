import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct BackChannelTests {
  @Test func entriesThatWereReceivedAreDropped() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,[{"a":1}]],[2,[{"a":2}]]]"#)
    client.bytes(#"[[1,[{"a":1}]],[2,[{"a":2}]],[3,[{"a":3}]]]"#)
    client.bytes(#"[[3,["close"]]]"#)
    #expect(client.delivered == [#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#])
    #expect(client.messages.map(\.number) == [1, 2, 3] && client.end == nil)
  }

  @Test func aGapEndsTheChannel() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,[{"a":1}]],[3,[{"a":3}]]]"#)
    #expect(client.delivered == [#"{"a":1}"#])
    #expect(client.invalid?.code == .gap && client.requests(.termination).count == 1)
  }

  @Test func theNextBackChannelFollowsAtOnceAndAcknowledges() throws {
    var client = try ClientHarness.opened()
    for number in 1...20 {
      client.bytes("[[\(number),[{}]]]")
      client.receive(.end, of: client.backChannels.last)
      #expect(client.backChannels.count == number + 1)
      #expect(client.backChannels.last?.query.acknowledged == number)
      client.head()
    }
  }

  @Test func anIdleBackChannelThatEndsAfterAWhileIsFollowedAtOnce() throws {
    var client = try ClientHarness.opened()
    for count in 1...20 {
      client.now += .seconds(1)
      client.receive(.end, of: client.backChannels.last)
      #expect(client.backChannels.count == count + 1)
      client.head()
    }
  }

  @Test func brokenBackChannelsAreRepeatedSoon() throws {
    var settings = ClientSettings()
    settings.detectsBuffering = false
    for seed in 1...50 as ClosedRange<UInt64> {
      var client = try ClientHarness.opened(settings, seed: seed)
      var delays: [Duration] = []
      for _ in 0..<100 {
        let before = client.now
        let count = client.backChannels.count
        client.receive(.failure, of: client.backChannels.last)
        if client.end != nil { break }
        if client.backChannels.count == count { client.wait() }
        delays.append(client.now - before)
      }
      #expect(client.end == .unreachable && delays.count == 3)
      #expect(delays[0] == .zero)
      #expect(delays.dropFirst().allSatisfy { (.seconds(1)...Duration.seconds(2)).contains($0) })
    }
  }

  @Test(arguments: ["end", "partial", "headless"])
  func aBackChannelThatEndsEarlyOrWithinAFrameCountsAsBroken(how: String) throws {
    var client = try ClientHarness.opened()
    for attempt in 0..<10 where client.end == nil {
      let count = client.backChannels.count
      if how != "headless" { client.head() }
      if how == "partial" { client.receive(.bytes(Data("9\n[[1,".utf8)), of: client.backChannels.last) }
      if how != "end" { client.now += .seconds(2) }
      client.receive(.end, of: client.backChannels.last)
      #expect(
        client.backChannels.count
          == (attempt == 0 && how != "headless" ? count + 1 : client.backChannels.count))
      if client.backChannels.count == count { client.wait() }
    }
    #expect(client.end == .unreachable)
  }

  @Test func anEntryResetsTheAttempts() throws {
    var client = try ClientHarness.opened()
    for number in 1...20 {
      client.bytes("[[\(number),[\"noop\"]]]")
      let count = client.backChannels.count
      client.receive(.failure, of: client.backChannels.last)
      #expect(client.backChannels.count == count + 1, "The first attempt has no delay.")
      client.head()
    }
  }

  @Test func silenceOfOneAndAHalfKeepAliveTimesOpensAnother() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    client.wait(.milliseconds(44_999))
    #expect(client.backChannels.count == 1)
    client.wait(.milliseconds(1))
    #expect(client.backChannels.count == 2 && client.cancelled == [client.backChannels[0].number])
  }

  @Test func anIdleServerThatAnswersIsNotUnreachable() throws {
    var settings = ClientSettings()
    settings.detectsBuffering = false
    var client = try ClientHarness.opened(settings)
    for count in 2...20 {
      client.wait(.seconds(45))
      #expect(client.backChannels.count == count)
      client.head()
    }
    #expect(client.end == nil)
  }

  @Test func aServerThatDoesNotAnswerIsUnreachable() throws {
    var settings = ClientSettings()
    settings.detectsBuffering = false
    var client = try ClientHarness.opened(settings)
    client.wait(.seconds(600))
    // The first was answered; the others weren't.
    #expect(client.end == .unreachable && client.backChannels.count == 4)
  }

  @Test func bytesKeepTheWatchdogQuiet() throws {
    var client = try ClientHarness.opened()
    let text = "99\n" + String(repeating: " ", count: 90)
    for byte in text.utf8 {
      client.receive(.bytes(Data([byte])), of: client.backChannels.first)
      client.wait(.seconds(44))
    }
    #expect(client.backChannels.count == 1)
  }

  @Test func aProxyThatHoldsBytesBackIsDetected() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.now = .milliseconds(100)
    client.answerHandshake()
    client.wait(.milliseconds(1_999))
    #expect(!client.channel.isLongPolling)
    client.wait(.milliseconds(1))
    #expect(client.channel.isLongPolling && client.backChannels.count == 2)
    #expect(client.cancelled == [client.backChannels[0].number])
    let query = try #require(client.backChannels.last?.query)
    #expect(query.isLongPolling && query.timeout == .seconds(25))
    // It remains so.
    client.head()
    client.bytes(#"[[1,["noop"]]]"#)
    client.receive(.end, of: client.backChannels.last)
    #expect(client.backChannels.count == 3 && client.backChannels.last?.query.isLongPolling == true)
  }

  @Test func aSlowNetworkIsNotAProxy() throws {
    var client = try ClientHarness()
    try client.start(["{}"])
    client.now = .seconds(3)
    client.answerHandshake()
    client.wait(.milliseconds(11_999))
    #expect(!client.channel.isLongPolling)
    client.head()
    client.bytes(#"[[1,["noop"]]]"#)
    client.wait(.seconds(30))
    #expect(!client.channel.isLongPolling && client.backChannels.count == 1)
    client.receive(.end, of: client.backChannels.last)
    client.wait(.seconds(30))
    #expect(!client.channel.isLongPolling)
  }

  @Test(arguments: [400, 404]) func anUnknownSessionEndsTheChannelWithoutTermination(status: Int) throws {
    var client = try ClientHarness.opened()
    client.head(status)
    #expect(client.end == .unknownSession && client.requests(.termination).isEmpty)
    var other = try ClientHarness.opened()
    try other.send("1")
    other.answerPost(status: status)
    #expect(other.end == .unknownSession && other.requests(.termination).isEmpty)
  }

  @Test(arguments: [201, 302, 401, 429, 500, 503]) func anyOtherStatusEndsTheChannel(status: Int) throws {
    var client = try ClientHarness.opened()
    client.head(status)
    #expect(client.end == .refused(status: status, body: Data()) && client.requests(.termination).count == 1)
    var other = try ClientHarness.opened()
    try other.send("1")
    other.answerPost(status: status)
    #expect(other.end == .refused(status: status, body: Data()) && other.requests(.termination).count == 1)
  }

  @Test(arguments: [
    (#"[[1,[{"a":1}]],[2,["close"]],[3,[{"b":1}]]]"#, ChannelEnd.closedByServer),
    (#"[[1,[{"a":1}]],[2,["stop"]]]"#, .stopped),
    (
      #"[[1,[{"a":1}]],[2,[[{"error":{"status":"ABORTED","message":"m"}}]]]]"#,
      .failed(ChannelFailure(status: "ABORTED", message: "m"))
    ),
  ])
  func theServerEndsTheChannelAfterItsMessages(text: String, end: ChannelEnd) throws {
    var client = try ClientHarness.opened()
    try client.send("x")
    client.bytes(text)
    #expect(client.delivered == [#"{"a":1}"#] && client.end == end)
    #expect(client.requests(.termination).count == 1)
    #expect(Set(client.cancelled) == [client.backChannels[0].number, client.posts[0].number])
    #expect(client.actions.last == .ended(end))
    let count = client.actions.count
    client.bytes(#"[[4,[{"a":1}]]]"#)
    client.close()
    client.wait(.seconds(1_000))
    #expect(client.actions.count == count && client.channel.deadline == nil)
    #expect { try client.channel.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .ended }
  }

  @Test(arguments: [#"[[1,["c","S"]]]"#, "{}", "[[1,[5]]]", "[1,14,7]"])
  func anythingElseInABackChannelIsInvalid(text: String) throws {
    var client = try ClientHarness.opened()
    client.bytes(text)
    #expect(client.invalid?.code == .badContent && client.requests(.termination).count == 1)
  }

  @Test func reportsAboutCancelledRequestsAreIgnored() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    client.wait(.seconds(45))
    let count = client.actions.count
    for event in [
      ResponseEvent.bytes(Data("14\n[[2,[\"close\"]]]".utf8)), .head(status: 400, stickySession: nil),
      .failure, .end,
    ] {
      client.receive(event, of: client.backChannels[0])
    }
    #expect(client.actions.count == count && client.end == nil)
  }

  // MARK: - What answers to POSTs say

  @Test func aServerThatHasLostTheBackChannelGetsAnother() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    client.now += .milliseconds(3_001)
    try client.send("x")
    client.answerPost("[0,1,0]")
    #expect(client.backChannels.count == 2 && client.cancelled == [client.backChannels[0].number])
  }

  @Test func aBackChannelThatIsYoungerThanThePostMayBeUnderWay() throws {
    var client = try ClientHarness.opened()
    client.now += .milliseconds(3_000)
    try client.send("x")
    client.now += .seconds(10)
    client.bytes(#"[[1,["noop"]]]"#)
    client.answerPost("[0,1,0]")
    #expect(client.backChannels.count == 1)
  }

  @Test func entriesThatAreOverdueOpenAnotherBackChannel() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    try client.send("x")
    client.answerPost("[1,2,37499]")
    client.wait(.milliseconds(5_999))
    #expect(client.backChannels.count == 1)
    client.wait(.milliseconds(1))
    #expect(client.backChannels.count == 2 && client.backChannels.last?.query.acknowledged == 1)
  }

  @Test(arguments: ["[1,2,37500]", "[1,1,100]", "[1,0,100]"])
  func aLargeBacklogOrNoneIsNotOverdue(answer: String) throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    try client.send("x")
    client.answerPost(answer)
    client.wait(.seconds(20))
    #expect(client.backChannels.count == 1)
  }

  @Test func bytesEndTheWaitForOverdueEntries() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    try client.send("x")
    client.answerPost("[1,2,100]")
    client.wait(.seconds(5))
    client.receive(.bytes(Data("1".utf8)), of: client.backChannels.last)
    client.wait(.seconds(20))
    #expect(client.backChannels.count == 1)
  }

  // MARK: - Backpressure

  @Test func aSlowConsumerStopsReadingAndTheWatchdog() throws {
    var settings = ClientSettings()
    settings.unconsumedBytes = 150
    var client = try ClientHarness.opened(settings)
    client.bytes(#"[[1,[{}]],[2,[{}]]]"#)
    #expect(client.channel.wantsBytes && client.delivered.count == 2)
    client.bytes(#"[[3,[{}]]]"#)
    #expect(!client.channel.wantsBytes && client.delivered.count == 3)
    // What still arrives is held.
    client.bytes(#"[[4,[{}]]]"#)
    client.wait(.seconds(1_000))
    #expect(client.delivered.count == 3 && client.backChannels.count == 1 && client.channel.deadline == nil)
    for message in client.messages { client.consume(message) }
    #expect(client.channel.wantsBytes && client.delivered.count == 4)
    client.wait(.seconds(44))
    #expect(client.backChannels.count == 1)
    client.wait(.seconds(1))
    #expect(client.backChannels.count == 2)
  }

  @Test func aBackChannelThatEndsWhileNothingIsReadIsFollowedWhenItIs() throws {
    var settings = ClientSettings()
    settings.unconsumedBytes = 100
    for event in [ResponseEvent.end, .failure] {
      var client = try ClientHarness.opened(settings)
      client.bytes(#"[[1,[{}]],[2,[{}]],[3,[{}]]]"#)
      #expect(client.delivered.count == 2, "Reading pauses within a frame.")
      client.receive(event, of: client.backChannels.last)
      #expect(client.backChannels.count == 1 && client.channel.deadline == nil)
      client.consume(client.messages[0])
      // There is room for one message again, and it fills the room.
      #expect(client.delivered.count == 3 && client.backChannels.count == 1)
      client.consume(client.messages[1])
      client.consume(client.messages[2])
      #expect(client.backChannels.count == 2 && client.backChannels.last?.query.acknowledged == 3)
    }
  }

  @Test func bytesThatAreReadAgainstTheRulesAreLimited() throws {
    var settings = ClientSettings()
    settings.unconsumedBytes = 10
    settings.limits.frameBytes = 1_000
    var client = try ClientHarness.opened(settings)
    client.bytes(#"[[1,[{}]]]"#)
    for _ in 0..<200 { client.bytes(#"[[2,[{}]]]"#) }
    #expect(client.invalid?.code == .tooLarge)
  }

  @Test func aFrameAboveTheLimitEndsTheChannel() throws {
    var settings = ClientSettings()
    settings.limits.frameBytes = 100
    var client = try ClientHarness.opened(settings)
    client.receive(.bytes(Data("101\n".utf8)), of: client.backChannels.last)
    #expect(client.invalid?.code == .tooLarge)
  }
}
