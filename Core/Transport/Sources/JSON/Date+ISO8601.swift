package import Foundation

extension Date {
  /// RFC 3339 in UTC with milliseconds, rounded down, for example `2026-11-21T08:30:00.000Z`.
  package var iso8601Milliseconds: String {
    Date(timeIntervalSince1970: (timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
      .formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted)
      )
  }
}
