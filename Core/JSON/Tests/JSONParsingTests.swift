import Foundation
import TenonTestSupport
import Testing

@testable import TenonJSON

@Suite(.limited) struct JSONParsingTests {
  private func parse(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

  @Test(
    arguments: [
      ("null", .null), (" true\n", .bool(true)), ("false", .bool(false)), ("0", .int(0)), ("-7", .int(-7)),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
      ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("1.0", .int(1)), ("1e3", .int(1_000)),
      ("0.5", .double(0.5)), ("1e308", .double(1e308)), ("1e-400", .int(0)), ("\"\"", .string("")),
      (#""a\"\\\/\b\f\n\r\tü\u00fc\uD83D\ude00\u0000""#, .string("a\"\\/\u{8}\u{C}\n\r\tüü😀\0")),
      ("[]", .array([])), ("{}", .object([:])), ("\u{FEFF}[1, [2]]", [1, [2]]),
      (#"{"a": {"b": [null]}, "a ": 1}"#, ["a": ["b": [.null]], "a ": 1]),
    ] as [(String, JSON)]
  )
  func valueIsParsed(text: String, value: JSON) throws { #expect(try parse(text) == value) }

  @Test func negativeZeroKeepsItsSign() throws {
    for text in ["-0", "-0.0"] {
      guard case .double(let number) = try parse(text) else {
        Issue.record("\(text) isn't a double")
        continue
      }
      #expect(number == 0 && number.sign == .minus)
    }
  }

  @Test(
    arguments: [
      "", " ", "nul", "True", "+1", "01", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity",
      "[", "]", "[1", "[1,", "[,]", "[1,]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}",
      "{a:1}", "{1:1}",
      "\"", "\"\\", "\"\\x\"", "\"\\u\"", "\"\\u12", "\"\\u12G4\"", "\"\n\"", "1 2", "null,", "'a'",
    ])
  func invalidJSONIsRejected(text: String) {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.code == .syntax)
  }

  @Test(
    arguments: [
      ("", 1, 1, "there is no value"), ("{a: 1}", 1, 2, "a member's name is missing"),
      ("{\n  \"a\" 1}", 2, 7, "a colon is missing"), ("{\r\n\r\n  \"a\": }", 3, 8, "there is no value"),
      ("{\r  \"é😀\": 1\r  \"b\": 2}", 3, 3, "a comma or the closing brace of an object is missing"),
      ("[1\n2]", 2, 1, "a comma or the closing bracket of an array is missing"),
      ("\u{FEFF}[", 1, 2, "there is no value"), ("[1\n", 2, 1, "an array doesn't end"),
      ("{\"é\": 1,\n\n}", 3, 1, "a member's name is missing"),
      ("[\"é👨‍👩‍👧\n\"]", 1, 5, "a string has a control character"),
      ("1 // one", 1, 3, "there is something after the value"),
    ])
  func anErrorHasALineAColumnAndAReason(text: String, line: Int, column: Int, reason: String) throws {
    let error = try #require(throws: JSONError.self) { try parse(text) }
    #expect(error.place(in: Data(text.utf8)) == (line, column))
    #expect(error.reason == reason)
    #expect(error.description == "At byte \(error.position) of \(text.utf8.count): \(reason).")
  }

  @Test func aPlaceBehindInvalidUTF8IsFound() throws {
    let text = Data("[\"a\",\n \"".utf8) + [0xFF, 0x22, 0x5D]
    let error = try #require(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error.code == .invalidUnicode)
    #expect(error.place(in: text) == (2, 4))
    #expect(error.place(in: (Data("xx".utf8) + text).dropFirst(2)) == (2, 4))
    #expect(error.place(in: Data()) == (1, 1))
  }

  /// The indices of a slice need not begin at zero.
  @Test func sliceOfDataIsParsed() throws {
    #expect(try JSON(parsing: Data("xx[1]yy".utf8).dropFirst(2).dropLast(2)) == [1])
  }

  @Test func serializedValueIsParsedBack() throws {
    let value: JSON = [
      "a": [.int(.min), .unsigned(.max), .double(0.1), .double(-1e300), .bool(true), .null],
      "b": ["c": "é\u{0}\n\u{2028}😀"],
    ]
    #expect(try JSON(parsing: value.serialized) == value)
  }
}
