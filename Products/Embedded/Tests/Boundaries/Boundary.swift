/// Values at the limits of numbers, dates, ranges and lengths.
enum Boundary {
  /// Values as JSON and as text.
  static let numbers = [
    "-1", "0", "-0", "1", "2147483647", "2147483648", "9007199254740992", "9007199254740993",
    "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e308",
    "-1e308", "0.5",
    "1e-400", "253402300799", "253402300800", "253402300799999", "253402300800000",
  ]

  /// Values as text only: they aren't JSON, or aren't numbers at all.
  static let texts = [
    "", " ", "NaN", "Infinity", "-inf", "+1", "--1", "01", "000000000000000000000000000001", "1_000", "0x10",
    "1e309", "1.",
    ".5", "\u{661}", "1 ", "2024-02-30T25:61:61Z", "9999-12-31T23:59:59Z", "10000-01-01T00:00:00Z",
    String(repeating: "9", count: 10_000),
  ]

  static let ranges =
    ["bytes=", "bytes=-", "bytes=--1", "bytes=5-10", "bytes=2-1", "bytes=0-0,1-1", "items=0-1", "bytes"]
    + (numbers + texts).flatMap { ["bytes=\($0)-", "bytes=-\($0)", "bytes=\($0)-\($0)", "bytes=0-\($0)"] }

  static let lengths = [
    0, 1, 70, 71, 128, 129, 222, 223, 256, 257, 511, 512, 1_000, 1_001, 1_024, 1_025, 2_048, 2_049, 100_000,
  ]
}
