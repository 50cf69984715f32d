public import TenonFoundation

extension Timestamp {
  /// Creates the timestamp of this device's clock now, in microseconds. The clock of the server is that of
  /// `FieldValue.serverTimestamp()`.
  public init() { self.init(date: Date()) }

  /// Creates the timestamp of a date, rounded down to the microsecond, Firestore's precision.
  ///
  /// A `Date` is a `Double` and can't represent every microsecond exactly. If the date is as close to a whole
  /// microsecond as the precision of `Double` permits, that microsecond is used. A timestamp of the present
  /// that is converted to a date and back is therefore the same; in distant centuries, a `Date` is less
  /// precise than a microsecond.
  ///
  /// A date outside the years 1 to 9999 yields a timestamp that is rejected when it is written. No date
  /// traps: a date of 10^12 seconds or more from 1970 yields the least or the greatest number of seconds, and
  /// NaN the greatest.
  ///
  /// - Parameter date: the date. `Date.distantFuture` is valid in a document; `Date.distantPast` isn't,
  ///   because it is two days before the year 1.
  public init(date: Date) {
    let interval = date.timeIntervalSince1970
    guard abs(interval) < 1e12 else {
      self.init(seconds: interval < 0 ? .min : .max)
      return
    }
    let seconds = interval.rounded(.down)
    // A `Date` stores seconds since 2001 as a `Double`. If the value is within rounding error of a whole
    // microsecond, that microsecond is meant; otherwise it is rounded down.
    let exact = (interval - seconds) * 1_000_000
    let nearest = exact.rounded()
    let precision = (interval.ulp + date.timeIntervalSinceReferenceDate.ulp) * 500_000 + 0.001
    // Checked: at most a second.
    let microseconds = Int64(abs(nearest - exact) <= precision ? nearest : exact.rounded(.down))
    self.init(
      // Checked: fewer than 10^12 seconds.
      seconds: Int64(seconds) + microseconds / 1_000_000,
      nanoseconds: Int32(truncatingIfNeeded: microseconds % 1_000_000) * 1000
    )
  }

  /// Returns the timestamp as a date, rounded to the precision of `Double`. Nanoseconds are usually lost:
  /// from 2018 to 2035, adjacent dates are about 0.12 microseconds apart.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }
}
