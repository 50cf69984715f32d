extension Timestamp {
  /// The seconds of valid timestamps: the years 1 to 9999.
  package static let validSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// The timestamp truncated to microseconds, Firestore's precision
  /// (`google.firestore.v1.Value.timestamp_value`: "any additional precision is rounded down"). Since
  /// nanoseconds are counted forward from the second, also before 1970, the result is never later.
  package var roundedDown: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000) }

  /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z, negative for earlier times.
  ///
  /// The nanoseconds of the result are always from 0 to 999,999,000: the division truncates toward 0, so a
  /// negative remainder is carried from the seconds. ``microsecondsSince1970`` returns the same number,
  /// within its range.
  ///
  /// - Parameter microseconds: any number. Years outside 1 to 9999 are possible and aren't valid in
  ///   documents.
  package init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(truncatingIfNeeded: rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
  }

  /// Microseconds since 1970-01-01T00:00:00Z, negative for earlier times; finer fractions are truncated
  /// toward the past. It is the form in which databases and resume tokens contain timestamps.
  ///
  /// Any timestamp is accepted. Its seconds are clamped to 4 * 10^12 before or after 1970, about 126,000
  /// years, which the years 1 to 9999 of valid timestamps are far from. The difference of two results
  /// therefore fits into an `Int64`.
  package var microsecondsSince1970: Int64 {
    let seconds = min(max(seconds, -Self.furthest), Self.furthest)
    // Checked: the seconds were clamped.
    return seconds * 1_000_000 + Int64(clamping: nanoseconds / 1000)
  }

  /// The greatest number of seconds of ``microsecondsSince1970``.
  private static var furthest: Int64 { 4_000_000_000_000 }
}
