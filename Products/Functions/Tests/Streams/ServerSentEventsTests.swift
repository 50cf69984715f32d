import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonFunctions

@Suite(.limited) struct ServerSentEventsTests {
  /// Returns the data of all events, if the stream arrives in pieces of the given sizes.
  private func events(
    _ stream: some Sequence<UInt8>, sizes: [Int] = [], limit: Int = 1_000
  ) throws -> [String] {
    var reader = ServerSentEvents(limit: limit)
    var bytes = Array(stream)
    var events: [String] = []
    for size in sizes + [bytes.count] {
      reader.append(Data(bytes.prefix(size)))
      bytes.removeFirst(min(size, bytes.count))
      while let event = try reader.next() { events.append(String(decoding: event, as: UTF8.self)) }
    }
    return events
  }

  /// A stream with everything that the format has, and its events.
  private static let stream =
    "\u{FEFF}data: first\n\n: ping\n\ndata:one\ndata: two\nid: 7\n\n" + "event: x\ndata\ndata:  three\n\n"
    + "data: é\r\n\r\n: \r\ndata: return\r\rdata: mixed\r\ndata: é\n\r\nretry: 5\n\ndata:\n\ndatum: 1\n\n\n\n"
    + "dataset: x\n\ndat: x\n\nDATA: x\n\ndata : x\n\n data: x\n\n\u{FEFF}data: x\n\ndataset\ndata: field\ndatas\n\n"
    + "data: last\n\ndata: interrupted\n"
  private static let expected = [
    "first", "one\ntwo", "\n three", "é", "return", "mixed\né", "field", "last",
  ]

  @Test func eventsAreReadByTheRulesOfTheFormat() throws {
    #expect(try events(Self.stream.utf8) == Self.expected)
  }

  @Test func piecesMayBeDividedAnywhere() throws {
    let count = Self.stream.utf8.count
    for position in 0...count {
      #expect(try events(Self.stream.utf8, sizes: [position]) == Self.expected, "\(position)")
    }
    #expect(try events(Self.stream.utf8, sizes: Array(repeating: 1, count: count)) == Self.expected)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let sizes = (0..<count).map { _ in Int.random(in: 0...5, using: &random) }
      #expect(try events(Self.stream.utf8, sizes: sizes) == Self.expected)
    }
  }

  @Test(
    arguments: [
      "data: \(String(repeating: "x", count: 101))", "data: \(String(repeating: "x", count: 101))\n\n",
      "event: \(String(repeating: "x", count: 101))\n\n",
      String(repeating: "data: 123456789\n", count: 11),
      String(repeating: "data:\n", count: 102) + "\n",
    ])
  func lineOrEventBeyondTheLimitIsAnError(stream: String) {
    #expect(throws: ServerSentEvents.TooLarge.self) { try events(stream.utf8, limit: 100) }
    #expect(throws: ServerSentEvents.TooLarge.self) {
      try events(stream.utf8, sizes: Array(repeating: 7, count: 100), limit: 100)
    }
  }

  @Test func commentsOfAnyLengthAreIgnored() throws {
    let comment = ":\(String(repeating: "x", count: 10_000))\n"
    #expect(try events((comment + "data: 1\n\n" + comment).utf8, limit: 100) == ["1"])
    let sizes = Array(repeating: 99, count: 300)
    #expect(try events((comment + "data: 1\n\n" + comment).utf8, sizes: sizes, limit: 100) == ["1"])
  }

  @Test func anEventOfManyLinesIsReadInLinearTime() throws {
    let growth = try CPUTime.growth(from: 10_000, by: 16) { count in
      var reader = ServerSentEvents(limit: 1 << 20)
      reader.append(Data((String(repeating: "data:\n", count: count) + "\n").utf8))
      let event = try #require(try reader.next())
      #expect(event.count == count - 1)
    }
    #expect(growth < CPUTime.limit(ofLinear: 16))
  }

  @Test func eventsWithinTheLimitAreReadWithoutEnd() throws {
    let one = "data: \(String(repeating: "x", count: 90))\n\n"
    #expect(try events(String(repeating: one, count: 1_000).utf8, limit: 100).count == 1_000)
  }
}
