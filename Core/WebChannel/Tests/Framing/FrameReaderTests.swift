import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct FrameReaderTests {
  /// Texts with characters of one to four bytes at every place.
  static let texts = [
    "[]", "", "[[1,[\"é\"]]]", "😀", "a😀", "😀a", "€é😀", "[[4,[\"noop\"]]]", "\n5\n", "0",
    "\u{10FFFF}\u{FFFF}\u{7FF}\u{7F}",
  ]

  static func frames(_ texts: [String]) -> [UInt8] {
    texts.flatMap { Array(FrameWriter.frame(Array($0.utf8))) }
  }

  /// Reads all frames of a response whose bytes arrive in the given pieces.
  static func read(_ pieces: [[UInt8]], limit: Int = 1_000) throws(ChannelError) -> [String] {
    var reader = FrameReader(limit: limit)
    var texts: [String] = []
    for piece in pieces {
      reader.append(Data(piece))
      while let frame = try reader.next() { texts.append(String(decoding: frame, as: UTF8.self)) }
    }
    return texts
  }

  @Test func aLengthCountsUTF16CodeUnits() {
    #expect(FrameWriter.frame(Array("aé€😀".utf8)) == Data("5\naé€😀".utf8))
  }

  @Test func framesAreFoundWhereverTheBytesAreCut() throws {
    let bytes = Self.frames(Self.texts)
    #expect(try Self.read([bytes]) == Self.texts)
    #expect(try Self.read(bytes.map { [$0] }) == Self.texts)
    for first in bytes.indices {
      #expect(
        try Self.read([Array(bytes[..<first]), Array(bytes[first...])]) == Self.texts, "cut at \(first)")
      for second in stride(from: first, to: bytes.count, by: 3) {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map(Array.init)
        #expect(try Self.read(pieces) == Self.texts, "cut at \(first) and \(second)")
      }
    }
  }

  @Test func bytesThatWereAppendedBeforeOthersWereReadAreKept() throws {
    let bytes = Self.frames(Self.texts)
    var reader = FrameReader()
    var texts: [String] = []
    for (index, byte) in bytes.enumerated() {
      reader.append(Data([byte]))
      if index % 7 == 0, let frame = try reader.next() {
        texts.append(String(decoding: frame, as: UTF8.self))
      }
    }
    while let frame = try reader.next() { texts.append(String(decoding: frame, as: UTF8.self)) }
    #expect(texts == Self.texts)
    #expect(reader.isBetweenFrames && reader.heldBytes == 0)
  }

  @Test func anIncompleteFrameIsNotBetweenFrames() throws {
    for (text, isBetween) in [
      ("", true), ("2", false), ("2\n", false), ("2\n[", false), ("2\n[]", true), ("2\n[]1", false),
    ] {
      var reader = FrameReader()
      reader.append(Data(text.utf8))
      while try reader.next() != nil {}
      #expect(reader.isBetweenFrames == isBetween, "\(text)")
    }
  }

  @Test(arguments: [
    ("\n[]", ChannelError.Code.badFrame), ("-1\n", .badFrame), ("+2\n[]", .badFrame), ("0x2\n[]", .badFrame),
    ("2\r\n[]", .badFrame), (" 2\n[]", .badFrame), ("2[]", .badFrame), ("<html>", .badFrame),
    ("2.0\n[]", .badFrame),
    ("00000000002\n[]", .badFrame), ("99999999999999999999\n", .badFrame), ("9999999999\n", .tooLarge),
    ("1001\n", .tooLarge), ("1\n😀", .badFrame), ("2\na😀", .badFrame), ("2\n[][", .badFrame),
  ])
  func aLengthThatIsNotOneIsAnError(text: String, code: ChannelError.Code) {
    for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
      #expect { try Self.read(pieces) } throws: { ($0 as? ChannelError)?.code == code }
    }
  }

  @Test func aFrameOfTheLimitIsReadAndALargerOneIsNot() throws {
    let text = String(repeating: "€", count: 10)
    #expect(try Self.read([Self.frames([text])], limit: 30) == [text])
    #expect { try Self.read([Self.frames([text])], limit: 29) } throws: {
      ($0 as? ChannelError)?.code == .tooLarge
    }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82, 0x41],
      [0xF0, 0x9F, 0x98, 0x41], [0xC3, 0xC3],
    ] as [[UInt8]])
  func invalidUTF8IsAnError(bytes: [UInt8]) {
    let frame = Array("9\n".utf8) + bytes + Array("aaaaaaaaa".utf8)
    for pieces in [[frame], frame.map { [$0] }] {
      #expect { try Self.read(pieces) } throws: { ($0 as? ChannelError)?.code == .badUnicode }
    }
  }

  @Test(arguments: TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(20, deep: 100)))
  func everyTextComesBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scalars = (0..<200).map { _ in Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &random)) ?? "€"
    }
    let text = String(String.UnicodeScalarView(scalars))
    #expect(FrameWriter.frame(Array(text.utf8)).starts(with: Data("\(text.utf16.count)\n".utf8)))
    var pieces: [[UInt8]] = []
    var rest = Self.frames([text, "[]", text])[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...9, using: &random)
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    #expect(try Self.read(pieces, limit: 10_000) == [text, "[]", text])
  }

  @Test(arguments: [1, 7, 4_096, 1 << 20])
  func theWorkIsProportionalToTheBytes(piece: Int) throws {
    // In pieces of one byte, a reader that looks for the end of the frame from its beginning would do 50
    // billion steps.
    let bytes = Data(Self.frames([String(repeating: "é", count: 150_000), "[]"]))
    var reader = FrameReader()
    var frames = 0
    var start = 0
    while start < bytes.count {
      reader.append(bytes[start..<min(start + piece, bytes.count)])
      while try reader.next() != nil { frames += 1 }
      start += piece
    }
    #expect(frames == 2)
    #expect(reader.work == bytes.count)
  }

  @Test func theWorkIsProportionalToTheBytesThoughTheyAreNotReadAtOnce() throws {
    let bytes = Self.frames(Array(repeating: "[[4,[\"noop\"]]]", count: 3_000))
    var reader = FrameReader()
    var frames = 0
    for (index, byte) in bytes.enumerated() {
      reader.append(Data([byte]))
      // One frame for every two that arrive.
      if index % 35 == 0, try reader.next() != nil { frames += 1 }
    }
    while try reader.next() != nil { frames += 1 }
    #expect(frames == 3_000)
    #expect(reader.work <= bytes.count * 3)
  }

  @Test func anAnnouncedLengthAllocatesNothing() throws {
    var reader = FrameReader(limit: .max)
    reader.append(Data("9999999999\n[".utf8))
    #expect(try reader.next() == nil)
    #expect(reader.heldBytes == 1)
  }
}
