import Foundation
import TenonTransport

/// A moment in the units that the wire formats use.
struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970.
  let milliseconds: Int64

  /// The last moment that RFC 3339 can write: the end of the year 9999.
  static let last = Timestamp(milliseconds: 253_402_300_799_999)

  init(milliseconds: Int64) { self.milliseconds = milliseconds }
  init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down)) }

  /// Whole seconds since 1970.
  var seconds: Int64 { milliseconds / 1_000 }

  /// RFC 3339 in UTC with milliseconds, for example `2026-11-21T08:30:00.000Z`; the first or last moment that it can write
  /// for those beyond.
  var iso8601: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).iso8601Milliseconds
      ?? (milliseconds < 0 ? "0000-01-01T00:00:00.000Z" : Self.last.iso8601)
  }

  static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
