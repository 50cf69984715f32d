package import TenonStoreInterop

extension Timestamp {
  /// The seconds of valid timestamps: the years 1 to 9999.
  static let validSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z, negative for earlier times.
  ///
  /// The nanoseconds of the result are always from 0 to 999,999,000: the division truncates toward 0, so a negative
  /// remainder is carried from the seconds. ``microsecondsSince1970`` returns the same number, within its range.
  ///
  /// - Parameter microseconds: any number. Years outside 1 to 9999 are possible and are not valid in documents.
  package init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(truncatingIfNeeded: rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
  }

  /// Microseconds since 1970-01-01T00:00:00Z, negative for earlier times; finer fractions are truncated toward the
  /// past. It is the form in which databases and resume tokens contain timestamps.
  ///
  /// Any timestamp is accepted. The result is clamped to less than 2^62 microseconds before or after 1970, about
  /// 146,000 years, which valid timestamps (years 1 to 9999) are far from. The sum of a result and a duration in
  /// documents' time, and the difference of two results, therefore fit into an `Int64`.
  package var microsecondsSince1970: Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflows, whole.magnitude < Self.limit else {
      return seconds < 0 ? -Self.limit + 1 : Self.limit - 1
    }
    let sum = whole + Int64(clamping: nanoseconds / 1000)
    return min(max(sum, -Self.limit + 1), Self.limit - 1)
  }

  /// The number of microseconds that ``microsecondsSince1970`` doesn't reach.
  private static var limit: Int64 { 1 << 62 }
}
