import TenonFoundation
import TenonTransport
import TenonValues

extension Timestamp {
  /// The first millisecond of the year 0, the earliest time that RFC 3339 can represent.
  private static let earliest: Int64 = -62_167_219_200_000
  /// The last millisecond of the year 9999, the latest time that RFC 3339 can represent.
  private static let latest: Int64 = 253_402_300_799_999

  /// The latest time that RFC 3339 can represent: the end of the year 9999.
  static let last = Timestamp(millisecondsSince1970: latest)

  /// Creates a timestamp from milliseconds since 1970-01-01T00:00:00Z, negative for earlier times.
  ///
  /// Times that RFC 3339 can't represent are replaced by the first or last one that it can.
  init(millisecondsSince1970 milliseconds: Int64) {
    self.init(microsecondsSince1970: min(max(milliseconds, Self.earliest), Self.latest) * 1_000)
  }

  /// Milliseconds since 1970-01-01T00:00:00Z, rounded down and clamped to the range from the year 0 to the
  /// year 9999, so that sums and differences of times fit into 64 bits.
  var millisecondsSince1970: Int64 {
    let whole = min(max(seconds, Self.earliest / 1_000), Self.latest / 1_000) * 1_000
    // Checked: the seconds were clamped.
    return min(max(whole + Int64(clamping: nanoseconds / 1_000_000), Self.earliest), Self.latest)
  }

  /// The time in RFC 3339 in UTC with milliseconds, for example `2026-11-21T08:30:00.000Z`. Times that the
  /// format can't represent are replaced by the first or last one that it can.
  var iso8601: String {
    Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000).iso8601Milliseconds
      ?? (seconds < 0 ? "0000-01-01T00:00:00.000Z" : Self.last.iso8601)
  }

  /// The time as ``iso8601``, with microseconds unless they are whole milliseconds.
  var iso8601Microseconds: String {
    let rest = nanoseconds / 1_000 % 1_000
    guard rest > 0 else { return iso8601 }
    // A number of three digits behind the one that the addition makes.
    return "\(iso8601.dropLast())\(String(1_000 + rest).dropFirst())Z"
  }
}
