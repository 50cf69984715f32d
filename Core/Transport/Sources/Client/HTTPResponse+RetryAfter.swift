package import Foundation
import TenonCore
package import TenonTransportInterop

extension HTTPResponse {
  /// Returns the delay that the field `Retry-After` asks for, as a number of seconds or a date (RFC 9110, section
  /// 10.2.3), between zero and `Duration.longestWait`.
  ///
  /// - Parameter now: the current wall-clock time, from which a date is counted.
  /// - Returns: `nil` if the field is missing or malformed.
  package func retryAfter(now: Date) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
      // A number that doesn't fit into 64 bits exceeds the longest wait as well.
      return Int64(text).map { .seconds($0).limited } ?? .longestWait
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { .wait(seconds: $0.timeIntervalSince(now)) }
  }
}
