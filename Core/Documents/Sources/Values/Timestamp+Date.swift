public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp {
  /// The moment of a date, cut to the microsecond as Firestore keeps it. A date that is no moment of the years 1 to
  /// 9999 gives a timestamp that is refused when it is written.
  public init(_ date: Date) {
    let interval = date.timeIntervalSince1970
    guard abs(interval) < 1e12 else {
      self.init(seconds: interval < 0 ? .min : .max)
      return
    }
    let seconds = interval.rounded(.down)
    // A date is a double that counts from 2001: as near to a microsecond as doubles come there, it stands for that
    // microsecond. What lies between microseconds is cut.
    let exact = (interval - seconds) * 1_000_000
    let nearest = exact.rounded()
    let precision = (interval.ulp + date.timeIntervalSinceReferenceDate.ulp) * 500_000 + 0.001
    let microseconds = Int64(abs(nearest - exact) <= precision ? nearest : exact.rounded(.down))
    self.init(
      seconds: Int64(seconds) + microseconds / 1_000_000,
      nanoseconds: Int32(microseconds % 1_000_000) * 1000
    )
  }

  /// The moment as a date.
  public var date: Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// The moment without what is finer than a microsecond, which Firestore doesn't keep.
  public var roundedDown: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000) }
}
