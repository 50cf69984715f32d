public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp {
  /// The moment of a date, cut to the microsecond as Firestore keeps it.
  public init(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded(.down)
    let seconds = (microseconds / 1_000_000).rounded(.down)
    self.init(seconds: Int64(seconds), nanoseconds: Int32(microseconds - seconds * 1_000_000) * 1000)
  }

  /// The moment as a date.
  public var date: Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
  }

  /// The moment without what is finer than a microsecond, which Firestore doesn't keep.
  public var roundedDown: Timestamp { Timestamp(seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000) }
}
