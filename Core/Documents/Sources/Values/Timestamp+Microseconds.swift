package import TenonStoreInterop

extension Timestamp {
  /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z, negative for earlier times.
  ///
  /// The nanoseconds of the result are always from 0 to 999,999,000: the division truncates toward 0, so a negative
  /// remainder is carried from the seconds. ``microsecondsSince1970`` returns the same number.
  ///
  /// - Parameter microseconds: any number. Years outside 1 to 9999 are possible and are not valid in documents.
  package init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
  }

  /// Microseconds since 1970-01-01T00:00:00Z, negative for earlier times; finer fractions are truncated toward the
  /// past. It is the form in which databases and resume tokens contain timestamps.
  ///
  /// - Precondition: the result is in the range of `Int64`, which valid timestamps (years 1 to 9999) are. Otherwise it
  ///   traps.
  package var microsecondsSince1970: Int64 { seconds * 1_000_000 + Int64(nanoseconds / 1000) }
}
