import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct ChannelEntryTests {
  static func entries(_ text: String) throws(ChannelError) -> [ChannelEntry] {
    try ChannelEntry.entries(of: Array(text.utf8))
  }

  static func message(_ number: Int, _ text: String) -> ChannelEntry {
    ChannelEntry(number: number, content: .message(Data(text.utf8)))
  }

  @Test func theHandshakeOfGooglesEmulatorIsRead() throws {
    let text = #"[[0,["c","ynJfBzl1_S6Do5iX36Ddaw==","",8,12,30000]]]"#
    let session = ChannelHandshake(
      sessionID: "ynJfBzl1_S6Do5iX36Ddaw==", hostPrefix: nil, keepAlive: .seconds(30))
    #expect(try Self.entries(text) == [ChannelEntry(number: 0, content: .handshake(session))])
    #expect(
      FrameWriter.frame([ChannelEntry(number: 0, content: .handshake(session))])
        == Data("\(text.utf8.count)\n\(text)".utf8))
  }

  @Test func aHandshakeNeedsOnlyItsID() throws {
    let content = ChannelEntry.Content.handshake(ChannelHandshake(sessionID: "x"))
    #expect(try Self.entries(#"[[0,["c","x"]]]"#) == [ChannelEntry(number: 0, content: content)])
    #expect(try Self.entries(#"[[0,["c","x",null,8]]]"#) == [ChannelEntry(number: 0, content: content)])
    let prefixed = ChannelHandshake(sessionID: "x", hostPrefix: "a1-b.c")
    #expect(try Self.entries(#"[[0,["c","x","a1-b.c",8]]]"#).first?.content == .handshake(prefixed))
  }

  @Test(arguments: [(0, 1_000), (-5, 1_000), (45_000, 45_000), (.max, 600_000)] as [(Int64, Int64)])
  func aKeepAliveTimeIsLimited(stated: Int64, used: Int64) throws {
    let content = try Self.entries(#"[[0,["c","x","",8,12,\#(stated)]]]"#).first?.content
    #expect(content == .handshake(ChannelHandshake(sessionID: "x", keepAlive: .milliseconds(used))))
  }

  @Test func theSessionsIDIsNotPartOfDescriptions() {
    let session = ChannelHandshake(sessionID: "secret", keepAlive: .seconds(1))
    #expect(!"\(session)".contains("secret"))
  }

  @Test(arguments: [
    #"[[0,["c"]]]"#, #"[[0,["c",""]]]"#, #"[[0,["c",5]]]"#, #"[[0,["c","x","evil.com/",8]]]"#,
    #"[[0,["c","x","a@b",8]]]"#,
    #"[[0,["c","x",".a",8]]]"#, #"[[0,["c","x","a.",8]]]"#, #"[[0,["c","x","\u0000",8]]]"#,
  ])
  func aHandshakeWithoutAnIDOrWithABadHostPrefixIsAnError(text: String) {
    #expect { try Self.entries(text) } throws: { ($0 as? ChannelError)?.code == .badContent }
  }

  /// RFC 8259 allows white space around every structural character.
  @Test(arguments: [" ", "\n", "\t", " \r\n "])
  func whiteSpaceMayBeAnywhereBetweenValues(space: String) throws {
    let parts = ["[", "[", "0", ",", "[", #""c""#, ",", #""x""#, ",", "null", ",", "8", "]", "]", ","]
    let more = ["[", "1", ",", "[", #"{"a":1}"#, ",", "2", ",", "[]", "]", ",", #""further""#, "]", "]"]
    let entries = try Self.entries(space + (parts + more).joined(separator: space) + space)
    let session = ChannelEntry.Content.handshake(ChannelHandshake(sessionID: "x"))
    #expect(entries == [ChannelEntry(number: 0, content: session), Self.message(1, #"{"a":1}"#)])
  }

  @Test func severalEntriesMayBeInAFrame() throws {
    let text = #"[[4,["noop"]],[5,[{"a":1}]],[6,[{"b":[1,{"c":"]}"}]}]],[9,["close"]],[10,["stop"]]]"#
    #expect(
      try Self.entries(text) == [
        ChannelEntry(number: 4, content: .noop), Self.message(5, #"{"a":1}"#),
        Self.message(6, #"{"b":[1,{"c":"]}"}]}"#),
        ChannelEntry(number: 9, content: .close), ChannelEntry(number: 10, content: .stop),
      ])
    #expect(try Self.entries("[]").isEmpty)
  }

  @Test func whiteSpaceMayBeEverywhere() throws {
    // Production indents its JSON.
    let text = "\n[ [ 5 ,\t[ {\n \"a\" : 1 } ]\r\n] , [6,[\n\"noop\"\n]\n]\n]\n"
    #expect(
      try Self.entries(text) == [Self.message(5, "{\n \"a\" : 1 }"), ChannelEntry(number: 6, content: .noop)])
  }

  @Test func payloadsAreTheBytesThatWereReceived() throws {
    let payload = #"{ "é\u003c": [1e3, "\\", "\"]", "😀", -0.0, {}, [[]]] }"#
    #expect(try Self.entries("[[7,[\(payload)]]]") == [Self.message(7, payload)])
  }

  @Test func furtherElementsAreIgnored() throws {
    #expect(try Self.entries(#"[[7,[{"a":1},"x",{"error":{}}],{"y":[]}]]"#) == [Self.message(7, #"{"a":1}"#)])
  }

  @Test(arguments: [
    #"{"error":{"code":7,"message":"No.","status":"PERMISSION_DENIED"}}"#,
    #"[{"error":{"code":7,"message":"No.","status":"PERMISSION_DENIED"}}]"#,
    #"{ "x": {"error": 1}, "error" : {"status":"PERMISSION_DENIED","message":"No.","code":7} }"#,
  ])
  func failuresAreFoundAlsoInAnArray(text: String) throws {
    let failure = ChannelFailure(code: 7, status: "PERMISSION_DENIED", message: "No.")
    #expect(try Self.entries("[[3,[\(text)]]]") == [ChannelEntry(number: 3, content: .failure(failure))])
  }

  @Test func aFailureThatIsWrittenIsReadAgain() throws {
    let failure = ChannelFailure(status: "ABORTED", message: "\"Later\" – 😀")
    let entry = ChannelEntry(number: 3, content: .failure(failure))
    var reader = FrameReader()
    reader.append(FrameWriter.frame([entry]))
    let frame = try reader.next()
    #expect(try ChannelEntry.entries(of: try #require(frame)) == [entry])
  }

  @Test(arguments: [
    (#"{"error":{}}"#, "UNKNOWN", ""), (#"{"error":null}"#, "UNKNOWN", ""),
    (#"{"error":"x"}"#, "UNKNOWN", "x"),
    (#"{"error":{"message":null,"status":"UNKNOWN","code":99999999999999999999}}"#, "UNKNOWN", ""),
  ])
  func aFailureWithoutDetailsIsOneNevertheless(text: String, status: String, message: String) throws {
    let failure = ChannelFailure(status: status, message: message)
    #expect(try Self.entries("[[3,[\(text)]]]").first?.content == .failure(failure))
  }

  @Test(arguments: [
    #"{"a":"error"}"#, #"{"a":{"error":1}}"#, #"["error"]"#, #"[{"a":1},{"error":1}]"#,
    #"{"a":["error"],"b":"error"}"#,
    #"{"errors":1}"#, #"[[{"error":1}]]"#,
  ])
  func whatOnlyContainsTheWordIsAMessage(text: String) throws {
    #expect(try Self.entries("[[3,[\(text)]]]") == [Self.message(3, text)])
  }

  @Test(arguments: [
    "", " ", "{}", "[", "[[", "[[]]", "[[1]]", "[[1,]]", "[[1,[]]]", "[[1,5]]", "[[1,\"noop\"]]",
    "[[1,[\"noop\"]]", "[[1,[\"noop\"],",
    "[[-1,[\"noop\"]]]", "[[1.5,[\"noop\"]]]", "[[\"1\",[\"noop\"]]]", "[[1,[\"nope\"]]]", "[[1,[5]]]",
    "[[1,[null]]]",
    "[[9999999999999999999999,[\"noop\"]]]", "[[1,[\"noop\"]]]]", "[[1,[\"noop\"]]] x", "[[1,[{\"a\":1]]",
    "[[1,[{\"a]]]", "[[1,[\"\\",
    "[[1,[\"noop\"]],]", "[,]", "[[1,[{}{}]]]", "[1,14,7]",
  ])
  func anythingElseIsAnError(text: String) {
    #expect { try Self.entries(text) } throws: { ($0 as? ChannelError)?.code == .badContent }
  }

  @Test func depthIsNotLimitedByTheStack() throws {
    let payload = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    #expect(try Self.entries("[[1,[\(payload)]]]") == [Self.message(1, payload)])
    let open = String(repeating: "{", count: 200_000)
    #expect { try Self.entries("[[1,[\(open)") } throws: { ($0 as? ChannelError)?.code == .badContent }
  }

  @Test func aHandshakeOrAFailureThatIsTooLargeIsAnError() {
    let large = String(repeating: "x", count: 70_000)
    for text in [#"[[0,["c","x","\#(large)"]]]"#, #"[[1,[{"error":{"message":"\#(large)"}}]]]"#] {
      #expect { try Self.entries(text) } throws: { ($0 as? ChannelError)?.code == .badContent }
    }
  }

  @Test func errorsDoNotQuoteTheText() {
    #expect { try Self.entries(#"[[1,["secret"]]]"#) } throws: { !"\($0)".contains("secret") }
  }

  @Test func answersToPostsAreReadAndWritten() throws {
    let answer = ForwardAnswer(hasBackChannel: true, lastNumber: 14, outstandingBytes: 7)
    #expect(answer.frame == Data("8\n[1,14,7]".utf8))
    #expect(try ForwardAnswer(parsing: Array("[1,14,7]".utf8)) == answer)
    #expect(try ForwardAnswer(parsing: Array(" [0, -1, 0] ".utf8)).hasBackChannel == false)
  }

  @Test(arguments: [
    "", "[]", "[1,2]", "[1,2,3,4]", "[1,2,\"3\"]", "[1.5,2,3]", "{}", "[1,2,18446744073709551615]",
    "[[1,2,3]]",
  ])
  func otherAnswersToPostsAreErrors(text: String) {
    #expect { try ForwardAnswer(parsing: Array(text.utf8)) } throws: {
      ($0 as? ChannelError)?.code == .badContent
    }
  }
}
