import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct PostTests {
  static func form(_ request: ClientRequest) throws -> ChannelForm {
    try ChannelForm(parsing: try #require(request.body), limits: .init(bytes: .max, messages: .max))
  }

  @Test func onePostIsUnderWayAtATime() throws {
    var client = try ClientHarness.opened()
    for number in 1...5 { try client.send("\(number)") }
    #expect(client.posts.count == 1)
    client.answerPost()
    #expect(client.posts.count == 2)
    #expect(try client.posts.map(ClientHarness.texts) == [["1"], ["2", "3", "4", "5"]])
    #expect(try client.posts.map { try Self.form($0).first } == [1, 2])
    client.answerPost()
    #expect(client.posts.count == 2 && client.channel.outgoing.count == 0)
    try client.send("6")
    #expect(try Self.form(client.posts[2]).first == 6)
  }

  @Test func aPostHasAtMostAThousandMessages() throws {
    var client = try ClientHarness()
    try client.start((0..<2_500).map { "\($0)" })
    client.answerHandshake()
    client.answerPost()
    client.answerPost()
    let all = client.requests(.handshake) + client.posts
    #expect(try all.map { try Self.form($0).messages.count } == [1_000, 1_000, 500])
    #expect(try all.flatMap(ClientHarness.texts) == (0..<2_500).map { "\($0)" })
    #expect(client.channel.outgoing.count == 0)
  }

  @Test func aPostHasALimitedSize() throws {
    var settings = ClientSettings()
    settings.postBytes = 1_000
    var client = try ClientHarness.opened(settings)
    let large = String(repeating: "€", count: 500)
    let texts = ["x", large, large, "1", String(repeating: "é", count: 140), "3"]
    for text in texts { try client.send(text) }
    for _ in 0..<5 { client.answerPost() }
    #expect(try client.posts.map(ClientHarness.texts) == [["x"], [large], [large], Array(texts[3...])])
  }

  @Test func aPostAcknowledgesEntries() throws {
    var client = try ClientHarness.opened()
    client.bytes("[[1,[{}]],[2,[{}]]]")
    try client.send("x")
    #expect(client.posts[0].query.acknowledged == 2)
  }

  @Test(arguments: ["failure", "no head", "within the answer"])
  func aPostIsRepeatedTwiceUnchanged(how: String) throws {
    var client = try ClientHarness.opened()
    try client.send("1")
    try client.send("2")
    var times: [Duration] = [client.now]
    for attempt in 1...3 {
      client.now += .seconds(1)
      switch how {
      case "failure": client.receive(.failure, of: client.posts.last)
      case "no head": client.receive(.end, of: client.posts.last)
      default:
        client.receive(.head(status: 200, stickySession: nil), of: client.posts.last)
        client.receive(.bytes(Data("8\n[1,".utf8)), of: client.posts.last)
        client.receive(.end, of: client.posts.last)
      }
      if attempt == 2 {
        #expect(client.posts.count == 2)
        let before = client.now
        for _ in 0..<100 where client.posts.count == 2 { client.wait() }
        #expect((.seconds(1)...Duration.seconds(2)).contains(client.now - before))
      }
      times.append(client.now)
    }
    #expect(client.end == .unreachable && client.posts.count == 3)
    #expect(Set(client.posts.map(\.body)).count == 1 && Set(client.posts.map(\.query.requestID)).count == 1)
    #expect(Set(client.posts.map(\.number)).count == 3)
  }

  @Test func aRepeatedPostHasTheLatestAcknowledgement() throws {
    var client = try ClientHarness.opened()
    try client.send("1")
    client.bytes("[[1,[{}]]]")
    client.receive(.failure, of: client.posts.last)
    #expect(client.posts.map(\.query.acknowledged) == [0, 1])
  }

  @Test func aPostWithoutAnAnswerIsRepeated() throws {
    var client = try ClientHarness.opened()
    client.bytes(#"[[1,["noop"]]]"#)
    try client.send("1")
    for _ in 0..<6 {
      client.wait(.seconds(10))
      client.receive(.bytes(Data("1".utf8)), of: client.backChannels.last)
    }
    #expect(client.posts.count == 2 && client.cancelled == [client.posts[0].number])
    client.receive(.failure, of: client.posts[0])
    #expect(client.posts.count == 2)
  }

  @Test func eachPostHasItsOwnAttempts() throws {
    var client = try ClientHarness.opened()
    for number in 1...10 {
      try client.send("\(number)")
      client.receive(.failure, of: client.posts.last)
      #expect(client.posts.count == number * 2)
      client.answerPost()
    }
    #expect(client.end == nil)
  }

  @Test func anAnswerCountsThoughTheConnectionBreaksAfterIt() throws {
    var client = try ClientHarness.opened()
    try client.send("1")
    client.receive(.head(status: 200, stickySession: nil), of: client.posts[0])
    client.receive(.bytes(Data("7\n[1,0,0]".utf8)), of: client.posts[0])
    client.receive(.failure, of: client.posts[0])
    try client.send("2")
    #expect(try client.posts.map(ClientHarness.texts) == [["1"], ["2"]])
  }

  @Test func anEmptyAnswerIsAnAnswer() throws {
    var client = try ClientHarness.opened()
    try client.send("1")
    client.receive(.head(status: 200, stickySession: nil), of: client.posts[0])
    client.receive(.end, of: client.posts[0])
    #expect(client.channel.outgoing.count == 0 && client.end == nil)
  }

  @Test(arguments: ["{}", "[1,2]", "<html>", "[[4,[\"noop\"]]]"])
  func anotherAnswerIsInvalid(text: String) throws {
    var client = try ClientHarness.opened()
    try client.send("1")
    client.answerPost(text)
    #expect(client.invalid != nil)
  }

  @Test func theQueueIsBounded() throws {
    var settings = ClientSettings()
    settings.queuedMessages = 3
    var client = try ClientHarness.opened(settings)
    for number in 1...3 { try client.send("\(number)") }
    #expect(!client.channel.wantsMessages)
    #expect { try client.channel.send(Data("4".utf8), at: .zero) } throws: {
      ($0 as? ChannelError)?.code == .full
    }
    client.answerPost()
    #expect(client.channel.wantsMessages)
    try client.send("4")
    client.answerPost()
    client.answerPost()
    #expect(try client.posts.flatMap(ClientHarness.texts) == ["1", "2", "3", "4"])
    var idle = try ClientHarness(settings)
    #expect { try idle.channel.start(Array(repeating: Data(), count: 4), at: .zero) } throws: {
      ($0 as? ChannelError)?.code == .full
    }
    try idle.start(["1"])
    #expect(try ClientHarness.texts(idle.requests(.handshake).first) == ["1"])
  }

  @Test func theQueueIsBoundedInBytes() throws {
    var settings = ClientSettings()
    settings.queuedBytes = 1_000
    var client = try ClientHarness.opened(settings)
    try client.send(String(repeating: "x", count: 900))
    #expect(client.channel.wantsMessages)
    try client.send(String(repeating: "x", count: 900))
    #expect { try client.channel.send(Data(), at: .zero) } throws: { ($0 as? ChannelError)?.code == .full }
    client.answerPost()
    #expect(client.channel.wantsMessages)
  }
}
