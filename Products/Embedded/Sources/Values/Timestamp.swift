import Foundation
import TenonTransport

/// A point in time in the units of the wire formats.
struct Timestamp: Sendable, Hashable, Comparable {
  /// The time in milliseconds since 1970.
  let milliseconds: Int64

  /// The latest time that RFC 3339 can represent: the end of the year 9999.
  static let last = Timestamp(milliseconds: 253_402_300_799_999)

  /// Creates a time from milliseconds since 1970.
  init(milliseconds: Int64) { self.milliseconds = milliseconds }
  /// Creates a time from a date, which is rounded down to milliseconds.
  init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down)) }

  /// The time in whole seconds since 1970.
  var seconds: Int64 { milliseconds / 1_000 }

  /// The time in RFC 3339 in UTC with milliseconds, for example `2026-11-21T08:30:00.000Z`. Times that the
  /// format can't represent are replaced by the first or last one that it can.
  var iso8601: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).iso8601Milliseconds
      ?? (milliseconds < 0 ? "0000-01-01T00:00:00.000Z" : Self.last.iso8601)
  }

  /// Compares two times.
  static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
