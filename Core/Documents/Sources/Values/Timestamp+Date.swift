public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp {
  /// Creates the timestamp of a date, rounded down to the microsecond, Firestore's precision. A date outside the years 1 to
  /// 9999 gives a timestamp that is rejected when it is written.
  public init(date: Date) {
    let interval = date.timeIntervalSince1970
    guard abs(interval) < 1e12 else {
      self.init(seconds: interval < 0 ? .min : .max)
      return
    }
    let seconds = interval.rounded(.down)
    // A date is a double that counts from 2001. If it is as close to a microsecond as doubles can be there, it means that
    // microsecond; otherwise it is rounded down.
    let exact = (interval - seconds) * 1_000_000
    let nearest = exact.rounded()
    let precision = (interval.ulp + date.timeIntervalSinceReferenceDate.ulp) * 500_000 + 0.001
    let microseconds = Int64(abs(nearest - exact) <= precision ? nearest : exact.rounded(.down))
    self.init(
      seconds: Int64(seconds) + microseconds / 1_000_000,
      nanoseconds: Int32(microseconds % 1_000_000) * 1000
    )
  }

  /// Returns the timestamp as a date.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// The timestamp rounded down to the microsecond, Firestore's precision.
  public var roundedDown: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000) }
}
