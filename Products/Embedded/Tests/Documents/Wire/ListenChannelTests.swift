import Foundation
import TenonDocuments
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Listening over WebChannel, request by request.
@Suite(.limited) struct ListenChannelTests {
  /// A session that nobody reads for a while ends. That of a slow test must not.
  private let backend = Backend(timers: TestTime())
  private var client: WireClient { WireClient(embedded: backend.embedded) }

  /// The request for the query of all rooms.
  private static func rooms(_ target: Int = 2) -> String {
    #"{"database":"projects/demo/databases/(default)","addTarget":{"query":{"parent":"@","structuredQuery":{"from":[{"collectionId":"rooms"}]}},"targetId":\#(target)}}"#
  }

  private func token(for user: String) throws -> String {
    let now = backend.clock.now
    return try IDToken(
      account: Account(id: user, now: now), provider: "password", projectID: "demo", now: now
    ).text
  }

  /// Waits until no session and no listener is left.
  private func untilNothingIsLeft(_ embedded: Embedded) async throws {
    try await eventually { embedded.channels.count == 0 }
    try await eventually { await embedded.documentDatabase.listeners.isEmpty }
  }

  @Test func theBytesAreThoseOfTheProtocol() async throws {
    try await backend.embedded.documents().set("rooms/den", ["text": "é😀"])
    let channel = try await WireChannel(client, [Self.rooms()])
    #expect(
      channel.greeting == #"\#(28 + channel.id.count)"# + "\n"
        + #"[[0,["c","\#(channel.id)","",8,12,30000]]]"#)
    #expect(channel.id.count == 32)
    let time = "2023-11-14T22:13:20.000001Z"
    let name = "projects/demo/databases/(default)/documents/rooms/den"
    let entries = try await channel.read { $0.isSnapshot }
    #expect(entries.map(\.number) == Array(entries[0].number..<(entries[0].number + 4)))
    #expect(entries[0].content == ["targetChange": ["targetChangeType": "ADD", "targetIds": [2]]])
    #expect(
      entries[1].content == [
        "documentChange": [
          "document": [
            "name": .string(name), "fields": ["text": ["stringValue": "é😀"]], "createTime": .string(time),
            "updateTime": .string(time),
          ], "targetIds": [2],
        ]
      ])
    let token = try #require(entries[2].content["targetChange"]?["resumeToken"]?.string)
    #expect(
      entries[2].content == [
        "targetChange": [
          "targetChangeType": "CURRENT", "targetIds": [2], "resumeToken": .string(token),
          "readTime": .string(time),
        ]
      ])
    #expect(
      entries[3].content == ["targetChange": ["resumeToken": .string(token), "readTime": .string(time)]])
    let answer = try await channel.post(
      [#"{"database":"projects/demo/databases/(default)","removeTarget":2}"#], first: 1)
    #expect(answer.status == 200 && answer.text.split(separator: "\n").count == 2)
    let removed = try await channel.read(after: entries[3].number) { $0["targetChange"] != nil }
    #expect(removed.last?.content == ["targetChange": ["targetChangeType": "REMOVE", "targetIds": [2]]])
    try await channel.terminate()
    try await untilNothingIsLeft(backend.embedded)
  }

  @Test func changesArriveWhileTheBackChannelIsOpen() async throws {
    let channel = try await WireChannel(client, [Self.rooms()])
    let first = try await channel.read { $0.isSnapshot }
    let reading = Task {
      try await channel.read(after: first.last?.number ?? 0) { $0["documentChange"] != nil }
    }
    _ = try await client.result("commit", #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#)
    let change = try #require(try await reading.value.last?.content["documentChange"])
    #expect(change["document"]?["name"]?.string?.hasSuffix("/rooms/den") == true)
    try await channel.terminate()
  }

  @Test func aPollEndsWithTheFirstEntries() async throws {
    let channel = try await WireChannel(client, [Self.rooms()])
    var last = 0
    var isCurrent = false
    while !isCurrent {
      let response = try await channel.stream(after: last, polls: true)
      var text = ""
      // The response ends by itself.
      for try await piece in response.body { text += String(decoding: piece, as: UTF8.self) }
      let entries = try WireChannel.entries(in: text)
      #expect(!entries.isEmpty)
      for entry in entries {
        if case .int(let number)? = entry.array?[0] { last = Int(number) }
        if entry.array?[1].array?[0].isSnapshot == true { isCurrent = true }
      }
    }
    try await channel.terminate()
  }

  @Test func aTargetIsResumedWithItsToken() async throws {
    for id in ["a", "b"] { try await backend.embedded.documents().set("rooms/\(id)", [:]) }
    let channel = try await WireChannel(client, [Self.rooms()])
    let snapshot = try await channel.read { $0.isSnapshot }.last
    let token = try #require(snapshot?.content["targetChange"]?["resumeToken"]?.string)
    try await channel.terminate()
    try await backend.embedded.documents().delete("rooms/a")
    let resumed = Self.rooms().replacing(#""targetId":2"#, with: #""targetId":2,"resumeToken":"\#(token)""#)
    let again = try await WireChannel(client, [resumed])
    let contents = try await again.read { $0.isSnapshot }.map(\.content)
    #expect(contents.compactMap { $0["documentDelete"]?["removedTargetIds"] } == [[2]])
    #expect(!contents.contains { $0["documentChange"] != nil })
    try await again.terminate()
  }

  // MARK: - Access

  @Test func targetsAreRefusedPerUser() async throws {
    backend.embedded.onDocumentAccess { $0.auth?.uid == "ann" }
    let ann = "Authorization:Bearer \(try token(for: "ann"))\r\n"
    let bob = "Authorization:Bearer \(try token(for: "bob"))\r\n"
    for (headers, isAllowed) in [(ann, true), (bob, false), (nil, false)] {
      let channel = try await WireChannel(client, [Self.rooms()], headers: headers)
      let contents = try await channel.read {
        $0.isSnapshot || $0["targetChange"]?["targetChangeType"] == "REMOVE"
      }.map(\.content)
      #expect(contents.contains { $0.isSnapshot } == isAllowed)
      if !isAllowed {
        #expect(contents.last?["targetChange"]?["cause"]?["code"] == 7)
        #expect(contents.last?["targetChange"]?["targetIds"] == [2])
      }
      try await channel.terminate()
    }
  }

  @Test(arguments: ["garbage", "owner", nil])
  func theTokenIsCheckedAtTheHandshake(token: String?) async throws {
    backend.embedded.onDocumentAccess { _ in false }
    backend.embedded.settings.appCheckRequired = [.firestore]
    let channel = try await WireChannel(
      client, [Self.rooms()], headers: token.map { "Authorization:Bearer \($0)\r\nX-Client:x\r\n" })
    let last = try await channel.read { $0.isSnapshot || $0["error"] != nil }.last?.content
    if token == "owner" {
      #expect(last?.isSnapshot == true)
    } else {
      #expect(last?["error"]?["status"] == "UNAUTHENTICATED")
      #expect(last?["error"]?["message"]?.string?.contains("garbage") == false)
    }
    try await channel.terminate()
    try await untilNothingIsLeft(backend.embedded)
  }

  // MARK: - Refusals

  @Test(arguments: [
    "VER=7&database=x&RID=1", "VER=8&database=x", "RID=1", "", "VER=8&SID=unknown&RID=2",
    "VER=8&SID=unknown&RID=rpc&AID=0&CI=0", "VER=8&database=x&RID=x",
    "VER=8&database=x&RID=99999999999999999999",
  ])
  func malformedRequestsAndUnknownSessionsHaveStatus400(query: String) async throws {
    let path = "/google.firestore.v1.Firestore/Listen/channel?\(query)"
    #expect(try await client.send(.post, path, Data("count=0&ofs=0".utf8)).status == 400)
    let answer = try await client.send(.get, path)
    #expect(answer.status == 400)
    if query.contains("rpc") { #expect(answer.text == "Unknown SID\n") }
    #expect(backend.embedded.channels.count == 0)
  }

  @Test(arguments: [
    "count=1&ofs=0", "count=2&ofs=0&req0___data__=%7B%7D", "count=0&ofs=1", "count=99999999999999999999",
    "count=1&ofs=0&req0___data__=%ff",
  ])
  func malformedFormsAreRefused(form: String) async throws {
    let database = "projects%2Fdemo%2Fdatabases%2F(default)"
    let path = "/google.firestore.v1.Firestore/Listen/channel?VER=8&database=\(database)&RID=1&CVER=22"
    #expect(try await client.send(.post, path, Data(form.utf8)).status == 400)
    #expect(backend.embedded.channels.count == 0)
  }

  @Test(arguments: [
    ("{", "INVALID_ARGUMENT"), ("{}", "INVALID_ARGUMENT"), ("null", "INVALID_ARGUMENT"),
    (#"{"database":"projects/demo/databases/other","removeTarget":2}"#, "INVALID_ARGUMENT"),
    (#"{"addTarget":{"targetId":"x","documents":{"documents":[]}}}"#, "INVALID_ARGUMENT"),
    (String(repeating: "[", count: 50_000), "INVALID_ARGUMENT"),
  ])
  func aMalformedMessageEndsTheSession(message: String, status: String) async throws {
    let channel = try await WireChannel(client, [message])
    let last = try await channel.read { $0["error"] != nil }.last?.content
    #expect(last?["error"]?["status"]?.string == status)
    try await channel.terminate()
    try await untilNothingIsLeft(backend.embedded)
  }

  @Test func theSessionOfAnotherProjectEnds() async throws {
    var other = client
    other.project = "elsewhere"
    let channel = try await WireChannel(other, [])
    #expect(try await channel.read { $0["error"] != nil }.last?.content["error"]?["status"] == "NOT_FOUND")
    try await channel.terminate()
  }

  @Test func aTargetThatSearchesForVectorsEndsAlone() async throws {
    let vector =
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1}]}}}}}"#
    let search =
      #""findNearest":{"vectorField":{"fieldPath":"v"},"queryVector":\#(vector),"distanceMeasure":"COSINE","limit":2}"#
    let target = Self.rooms(4).replacing(
      #"[{"collectionId":"rooms"}]"#, with: #"[{"collectionId":"rooms"}],\#(search)"#)
    let channel = try await WireChannel(client, [target, Self.rooms(6)])
    let contents = try await channel.read { $0.isSnapshot }.map(\.content)
    let refused = try #require(contents.first { $0["targetChange"]?["targetChangeType"] == "REMOVE" })
    #expect(refused["targetChange"]?["targetIds"] == [4])
    #expect(refused["targetChange"]?["cause"]?["code"] == 3)
    try await channel.terminate()
  }

  // MARK: - Many sessions and slow readers

  @Test(.deep) func aThousandSessionsReceiveACommitAndLeaveNothing() async throws {
    var channels: [(channel: WireChannel, last: Int)] = []
    for _ in 0..<1_000 {
      let channel = try await WireChannel(client, [Self.rooms()])
      channels.append((channel, try await channel.read { $0.isSnapshot }.last?.number ?? 0))
    }
    #expect(backend.embedded.channels.count == 1_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (channel, last) in channels {
        group.addTask {
          let change = try await channel.read(after: last) { $0["documentChange"] != nil }
          #expect(
            change.last?.content["documentChange"]?["document"]?["name"]?.string?.hasSuffix("den") == true)
        }
      }
      try await backend.embedded.documents().set("rooms/den", [:])
      try await group.waitForAll()
    }
    await backend.embedded.close()
    try await untilNothingIsLeft(backend.embedded)
    let refused = try await WireChannel.handshake(client, [Self.rooms()])
    #expect(refused.status == 503)
    #expect(try await channels[0].channel.stream().status == 400)
  }

  @Test func sessionsAreLimitedInNumber() async throws {
    for _ in 0..<ChannelService.mostSessions { _ = try await WireChannel(client, []) }
    #expect(try await WireChannel.handshake(client, []).status == 429)
    await backend.embedded.close()
    try await untilNothingIsLeft(backend.embedded)
  }

  @Test func whatASlowReaderMissesIsSentAsTheDifference() async throws {
    let channel = try await WireChannel(client, [Self.rooms()])
    let first = try await channel.read { $0.isSnapshot }
    let documents = backend.embedded.documents()
    let text = Value.string(String(repeating: "x", count: 2_000))
    for number in 0..<5_000 {
      try await documents.set("rooms/den", ["n": .integer(Int64(number)), "text": text])
    }
    let listener = try #require(await backend.embedded.documentDatabase.listeners.values.first)
    #expect(listener.events.count <= ListenQueue.capacity + 2)
    var isLast = false
    let rest = try await channel.read(after: first.last?.number ?? 0) { content in
      if content["documentChange"]?["document"]?["fields"]?["n"]?["integerValue"] == "4999" { isLast = true }
      return isLast && content.isSnapshot
    }
    #expect(rest.count < 5_000, "Missed changes are sent together.")
    try await channel.terminate()
    try await untilNothingIsLeft(backend.embedded)
  }

  @Test func aTargetLargerThanTheOutboxArrivesWhole() async throws {
    let text = Value.string(String(repeating: "x", count: 2_000))
    let count = 3_000
    try await backend.embedded.documents().commit((0..<count).map { .set("rooms/r\($0)", ["text": text]) })
    let channel = try await WireChannel(client, [Self.rooms()])
    let contents = try await channel.read { $0.isSnapshot }.map(\.content)
    #expect(Set(contents.compactMap { $0["documentChange"]?["document"]?["name"]?.string }).count == count)
    try await channel.terminate()
  }

  @Test func aReaderThatLeavesIsReplaced() async throws {
    let channel = try await WireChannel(client, [Self.rooms()])
    let first = try await channel.read { $0.isSnapshot }
    let last = first.last?.number ?? 0
    let response = try await channel.stream(after: last)
    let reading = Task { for try await _ in response.body {} }
    reading.cancel()
    _ = await reading.result
    try await backend.embedded.documents().set("rooms/den", [:])
    let change = try await channel.read(after: last) { $0["documentChange"] != nil }
    #expect(change.last != nil)
    try await channel.terminate()
  }

  @Test func anAbandonedSessionExpires() async throws {
    let time = TestTime()
    let embedded = Embedded(projectID: "demo", directory: nil, time: time.source)
    let client = WireClient(embedded: embedded)
    let channel = try await WireChannel(client, [Self.rooms()])
    _ = try await channel.read { $0.isSnapshot }
    try await eventually {
      time.advance(by: 30)
      return embedded.channels.count == 0
    }
    try await untilNothingIsLeft(embedded)
    #expect(try await channel.stream().status == 400)
  }

  @Test func aSilentBackChannelIsKeptAlive() async throws {
    let time = TestTime()
    let embedded = Embedded(projectID: "demo", directory: nil, time: time.source)
    let channel = try await WireChannel(WireClient(embedded: embedded), [Self.rooms()])
    let last = try await channel.read { $0.isSnapshot }.last?.number ?? 0
    let response = try await channel.stream(after: last)
    let isOver = Lock(false)
    let reading = Task {
      defer { isOver.withLock { $0 = true } }
      return try await response.body.reduce(into: [String]()) {
        $0.append(String(decoding: $1, as: UTF8.self))
      }
    }
    try await eventually {
      time.advance(by: 1)
      return isOver.withLock { $0 }
    }
    let pieces = try await reading.value
    #expect(pieces.allSatisfy { $0.contains("noop") }, "\(pieces)")
    #expect(
      pieces.count >= 2, "One at the beginning, and one after 30 seconds; the response ends after a minute.")
    await embedded.close()
  }
}
