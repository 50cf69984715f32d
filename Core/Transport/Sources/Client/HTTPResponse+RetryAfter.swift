package import Foundation
import TenonCore
import TenonJSON
package import TenonTransportInterop

extension HTTPResponse {
  /// Returns the delay that the server requests with the field `Retry-After` (RFC 9110, section 10.2.3).
  ///
  /// The field contains a number of seconds, or a date in the preferred format of RFC 9110, section 5.6.7, for example
  /// `Sun, 06 Nov 1994 08:49:37 GMT`. The obsolete date formats are not supported.
  ///
  /// Of several fields, the first is used. A date depends on this machine's clock, which may be wrong, so callers limit
  /// the delay (``RetryPolicy/longestDelay``).
  ///
  /// - Parameter now: the current wall-clock time, from which the delay until a date is counted.
  /// - Returns: a delay from zero to `Duration.longestWait`; zero for a date in the past; `nil` if the field is missing
  ///   or malformed. A number that exceeds the limit counts as the longest wait.
  package func retryAfter(now: Date) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
      // A number beyond the range of doubles also exceeds the longest wait.
      return Double(decimal: text).map { .wait(seconds: $0) } ?? .longestWait
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.date(from: text).map { .wait(seconds: $0.timeIntervalSince(now)) }
  }
}
