import TenonTesting
import TenonTransport

/// Values at the limits of parsers and arithmetic.
enum FuzzValues {
  /// Numbers in JSON, and as text in queries and fields.
  static let numbers = [
    "-1", "0", "-0", "1", "2", "7", "10", "299", "300", "1000", "1001", "1209600", "1209601", "2147483647",
    "2147483648",
    "4294967296", "9007199254740992", "9007199254740993", "253402300799", "253402300800", "253402300799999",
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "1e308", "-1e308", "1e309",
    "1e-400", "0.5",
    "-0.0", "1.0", "1e3", "0.1e1",
  ]

  /// Text that isn't a number but resembles one.
  static let notNumbers = [
    "", " ", "NaN", "nan", "inf", "-inf", "Infinity", "+1", "--1", "01", "000000000000000000001", "1_000",
    "1,000", "0x10", "1e",
    "١", "½", "null", "true", "1\0", "1 ", " 1", "1\n",
  ]

  static let texts = [
    "", "a", "A", "é", "e\u{301}", "😀", "\0", "\r\n", "a\r\nX-Evil: 1", "a\nb", "\u{7F}", "\u{1B}[2J",
    "\u{202E}", "\u{200B}",
    "\u{FEFF}", "\u{10FFFF}", "\u{FFFD}", "/", "//", "a//b", "..", ".", "../../etc/passwd", "%00", "%", "%zz",
    "%FF", "+", "&", "=",
    "'; DROP TABLE accounts; --", "\"", "\\", "{}", "[]", "null", "undefined", "gs://b/o", "a@b", "a@b@c",
    "@", "a b@c.d",
    "é@example.com", "e\u{301}@example.com", "http://localhost", "http://", "javascript:alert(1)", "data:,",
    "http://[::1", "http://a:b",
    "2024-02-30T25:61:61Z", "9999-12-31T23:59:59.999Z", "-0001-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
  ]

  static let ranges = [
    "bytes=0-0", "bytes=5-10", "bytes=-1", "bytes=-0", "bytes=--1", "bytes=0-", "bytes=10-5", "bytes=-",
    "bytes=", "bytes",
    "bytes=0-0,2-3", "bytes=0-9223372036854775807", "bytes=9223372036854775807-",
    "bytes=9223372036854775808-",
    "bytes=-9223372036854775808", "bytes=-9223372036854775809",
    "bytes=18446744073709551616-18446744073709551617",
    "bytes=1-NaN", "items=0-1", "bytes=0x0-0x1", "bytes=+0-+1", "bytes=1.0-2", " bytes = 0 - 1 ",
    "bytes=\u{660}-1", "*/*", "bytes */3",
  ]

  /// JSON that is deeply nested, long or incomplete.
  static func json(using random: inout SeededGenerator) -> String {
    let depth = [1, 50, 99, 100, 101, 511, 512, 513, 10_000].randomElement(using: &random) ?? 1
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    case 1: return String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    case 2: return String(repeating: "[", count: depth)
    case 3: return "{\"a\":" + (numbers.randomElement(using: &random) ?? "0") + "}"
    case 4: return "\"\\ud800\""
    case 5: return "{\"a\":\"" + String(repeating: "x", count: 10_000) + "\"}"
    case 6: return "{\"a\":1,\"a\":2,"
    default: return ["null", "true", "0", "\"\"", "[]", "{}", "", "nul"].randomElement(using: &random) ?? ""
    }
  }
}
