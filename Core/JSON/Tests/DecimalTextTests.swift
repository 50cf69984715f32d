import TenonTestSupport
import Testing

@testable import TenonJSON

@Suite(.limited) struct DecimalTextTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("5", 5), ("-5", -5), ("007", 7), ("9223372036854775807", .max),
      ("-9223372036854775808", .min),
    ] as [(String, Int64)])
  func integerIsReadFromDigits(text: String, number: Int64) {
    #expect(Int64(decimal: text) == number)
    #expect(Int64(decimal: text[...]) == number)
  }

  @Test(arguments: hostileTexts + ["9223372036854775808", "-9223372036854775809", "1.0"])
  func textThatIsNoIntegerIsRefused(text: String) {
    #expect(Int64(decimal: text) == nil)
    #expect(Int(decimal: text) == nil)
  }

  @Test func rangeIsThatOfTheType() {
    #expect(UInt8(decimal: "255") == 255)
    #expect(UInt8(decimal: "256") == nil)
    #expect(UInt64(decimal: "18446744073709551615") == .max)
    #expect(UInt64(decimal: "-1") == nil)
  }

  @Test(
    arguments: [
      ("5", 5), ("+5", 5), ("-5", -5), ("1.5", 1.5), ("1e300", 1e300), ("-1E-3", -0.001), ("1e-400", 0),
      ("9223372036854775808", 0x1p63), ("999999999999999999999", 1e21),
    ] as [(String, Double)])
  func doubleIsReadFromDecimalDigits(text: String, number: Double) {
    #expect(Double(decimal: text) == number)
  }

  @Test(arguments: [
    "1e400", "-1e400", "0x10", "NaN", "nan", "inf", "Infinity", "", " 5", "5 ", "e", "1e", "٥",
  ])
  func textThatIsNoDoubleIsRefused(text: String) {
    #expect(Double(decimal: text) == nil)
  }

  /// Texts that are no integers.
  private static let hostileTexts = [
    "", " ", " 5", "5 ", "+5", "--5", "-", "0x10", "1e3", "1e300", "1e-400", "5.", "NaN", "Infinity", "٥",
    "5\0",
    "999999999999999999999",
  ]
}
