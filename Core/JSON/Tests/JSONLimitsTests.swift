import Foundation
import TenonTestSupport
import Testing

@testable import TenonJSON

/// Rule P3: a text from outside costs linear time, has limits, and what exceeds them or can't be represented
/// is a typed error.
@Suite(.limited) struct JSONLimitsTests {
  private func code(_ text: Data, limit: Int = JSON.largestText) -> JSONError.Code? {
    #expect(throws: JSONError.self) { try JSON(parsing: text, limit: limit) }?.code
  }

  private static let forms = [("[", "[]", "]"), (#"{"a":"#, "{}", "}"), (#"[{"a":"#, "[{}]", "}]")]

  @Test(arguments: forms) func p3DepthUpToTheLimitIsParsed(open: String, inner: String, close: String) throws
  {
    let levels = inner.count == 4 ? 2 : 1
    let outer = JSON.deepestNesting / levels - 1
    let text = String(repeating: open, count: outer) + inner + String(repeating: close, count: outer)
    let value = try JSON(parsing: Data(text.utf8))
    #expect(try JSON(parsing: value.serialized) == value)
    let deeper = Data("[\(text)]".utf8)
    let error = #expect(throws: JSONError.self) { try JSON(parsing: deeper) }
    #expect(error?.code == .tooDeep && error?.description.contains("more than 128 levels") == true)
  }

  /// Only the levels up to the limit are read, whatever follows them.
  @Test(arguments: [129, 1_000, 1_000_000]) func p3ReadingEndsWhereTheDepthIsExceeded(depth: Int) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: Data(repeating: 0x5B, count: depth)) }
    #expect(error?.code == .tooDeep && error?.position == JSON.deepestNesting)
  }

  /// The depth counts what is open, not what was.
  @Test func p3ManyFlatArraysAreNotDeep() throws {
    let text = "[" + Array(repeating: "[[],{}]", count: 1_000).joined(separator: ",") + "]"
    #expect(try JSON(parsing: Data(text.utf8)).array?.count == 1_000)
  }

  @Test func p3SizeIsLimited() throws {
    #expect(try JSON(parsing: Data("[1,2]".utf8), limit: 5) == [1, 2])
    let error = #expect(throws: JSONError.self) { try JSON(parsing: Data("[1,23]".utf8), limit: 5) }
    #expect(error?.code == .tooLarge && error?.position == 0)
    #expect(error?.description == "The text has 6 bytes, more than the limit of 5.")
    #expect(code(Data(repeating: 0x20, count: JSON.largestText + 1)) == .tooLarge)
  }

  @Test(
    arguments: [
      #"{"a":1,"a":2}"#, #"{"a":1,"a":1}"#, #"{"a":null,"a":null}"#, #"{"a":1,"\u0061":2}"#, #"{"":1,"":2}"#,
      #"[{"b":{"a":1,"c":2,"a":3}}]"#, #"{"é":1,"\u00e9":2}"#, "{\"\u{e9}\":1,\"e\u{301}\":2}",
      #"{"\ud83d\ude00":1,"😀":2}"#,
    ])
  func p3DuplicateNamesAreRejected(text: String) { #expect(code(Data(text.utf8)) == .duplicateName) }

  @Test func sameNameInDifferentObjectsIsNoDuplicate() throws {
    #expect(try JSON(parsing: Data(#"{"a":{"a":1},"b":[{"a":2},{"a":3}],"A":4}"#.utf8)).object?.count == 3)
  }

  @Test(
    arguments: [
      [0xFF], [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF],
      [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
      [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x61, 0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func p3InvalidUTF8IsRejected(bytes: [UInt8]) {
    for text in [
      [0x22] + bytes + [0x22], [0x22, 0x5C, 0x6E] + bytes + [0x22], [0x7B, 0x22] + bytes + [0x22],
    ] {
      #expect(code(Data(text)) == .invalidUnicode)
    }
    #expect(code(Data(bytes)) == .syntax)
  }

  @Test(
    arguments: [
      #""\ud800""#, #""\udbff x""#, #""\udc00""#, #""\udfff\ud800""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
      #""\ud83d\n""#, #"{"\udc00":1}"#,
    ])
  func p3HalvesOfSurrogatePairsAreRejected(text: String) { #expect(code(Data(text.utf8)) == .invalidUnicode) }

  /// As `JSON.parse` and a text encoder do in JavaScript.
  @Test(
    arguments: [
      (#"\ud800"#, "\u{FFFD}"), (#"\udbff x"#, "\u{FFFD} x"), (#"\udfff\ud800"#, "\u{FFFD}\u{FFFD}"),
      (#"\ud800\u0041"#, "\u{FFFD}A"), (#"\ud800\ud83d\ude00"#, "\u{FFFD}😀"), (#"\ud83d\n"#, "\u{FFFD}\n"),
      (#"\ud83d\ude00"#, "😀"),
    ])
  func halvesOfSurrogatePairsAreReplacedOnRequest(text: String, expected: String) throws {
    let value = try JSON(parsing: Data("\"\(text)\"".utf8), replacesLoneSurrogates: true)
    #expect(value.string == expected)
    #expect(throws: JSONError.self) {
      try JSON(parsing: Data(#""\ud83d\ude""#.utf8), replacesLoneSurrogates: true)
    }
  }

  @Test(arguments: [
    "1e309", "-1e309", "1e999", "-1e999999999999999999999", "1" + String(repeating: "0", count: 400),
  ])
  func p3NumbersBeyondEveryDoubleAreErrors(text: String) {
    #expect(code(Data(text.utf8)) == .numberOutOfRange)
    #expect(code(Data("[0, {\"a\": \(text)}]".utf8)) == .numberOutOfRange)
  }

  @Test(
    arguments: [
      ("9223372036854775807", .int(.max)), ("9223372036854775808", .unsigned(1 << 63)),
      ("-9223372036854775808", .int(.min)), ("-9223372036854775809", .double(-0x1p63)),
      ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .double(0x1p64)),
      ("9223372036854775808.0", .double(0x1p63)), ("-9223372036854775808.0", .int(.min)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1e-400", .int(0)), ("0e999999", .int(0)), ("0.1e1", .int(1)),
      ("184467440737095516150", .double(184_467_440_737_095_516_160)),
    ] as [(String, JSON)])
  func p3NumbersAtTheLimitsKeepTheirValue(text: String, value: JSON) throws {
    #expect(try JSON(parsing: Data(text.utf8)) == value)
  }

  /// A number of a megabyte is rounded like any other.
  @Test func p3LongNumbersAreRounded() throws {
    let digits = String(repeating: "3", count: 1_000_000)
    #expect(try JSON(parsing: Data("0.\(digits)".utf8)) == .double(1.0 / 3))
    #expect(code(Data(digits.utf8)) == .numberOutOfRange)
  }

  @Test(arguments: ["", " ", "\n\t", "\u{FEFF}", "\u{FEFF} "]) func p3EmptyTextIsRejected(text: String) {
    #expect(code(Data(text.utf8)) == .syntax)
  }

  @Test(arguments: ["1 2", "[]]", "{}}", "null,", "[] []", "{}\0", "\"a\"x", "1\u{FEFF}", "true false"])
  func p3TrailingTextIsRejected(text: String) { #expect(code(Data(text.utf8)) == .syntax) }

  @Test func onlyAByteOrderMarkOfUTF8AtTheBeginningIsIgnored() throws {
    #expect(try JSON(parsing: Data([0xEF, 0xBB, 0xBF, 0x31])) == 1)
    for bytes in [
      [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31], [0xFE, 0xFF, 0x00, 0x31], [0xFF, 0xFE, 0x31, 0x00],
      [0x31, 0x00], [0x00, 0x31], [0xEF, 0xBB], [0x20, 0xEF, 0xBB, 0xBF, 0x31],
    ] as [[UInt8]] { #expect(code(Data(bytes)) == .syntax) }
  }

  /// Every prefix of a text is an error, and none traps.
  @Test func p3TruncatedTextsAreRejected() {
    let text = Data(#"{"a": [1, -2.5e+3, "b\u00e9\ud83d\ude00\\", true, null], "c": {}}"#.utf8)
    for count in 0..<text.count {
      #expect(throws: JSONError.self) { try JSON(parsing: text.prefix(count)) }
    }
  }

  @Test func errorsDoNotQuoteTheText() {
    for text in [#"{"secret":1,"secret":2}"#, #"["secret"secret]"#, #""secret\x""#, "secret"] {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: Data(text.utf8)) }
      #expect(error?.description.contains("secret") == false)
      #expect(error?.localizedDescription == error?.description)
    }
  }
}
