import Foundation
import Testing

@testable import TenonJSON

struct JSONParsingTests {
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
