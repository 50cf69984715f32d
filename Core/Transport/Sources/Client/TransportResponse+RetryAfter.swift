package import TenonFoundation
import TenonJSON
package import TenonTransportInterop

extension TransportResponse {
  /// Returns the delay that the server requests with the field `Retry-After` (RFC 9110, section 10.2.3).
  ///
  /// The field contains a number of seconds, or a date in the preferred format of RFC 9110, section 5.6.7,
  /// for example `Sun, 06 Nov 1994 08:49:37 GMT`. The obsolete date formats aren't supported.
  ///
  /// Of several fields, the first is used. A date depends on this machine's clock, which may be wrong, so
  /// callers limit the delay (``RetryPolicy/longestDelay``).
  ///
  /// - Parameter now: the current wall-clock time, from which the delay until a date is counted.
  /// - Returns: a delay from zero to `Duration.longestWait`; zero for a date in the past; `nil` if the field
  ///   is missing or malformed. A number that exceeds the limit counts as the longest wait.
  package func retryAfter(now: Date) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
      // A number beyond the range of doubles also exceeds the longest wait.
      return Double(decimal: text).map { .wait(seconds: $0) } ?? .longestWait
    }
    return Self.date(text).map { .wait(seconds: $0.timeIntervalSince(now)) }
  }

  /// Returns the date in the preferred format of RFC 9110, section 5.6.7; `nil` for another text or a day or
  /// time that doesn't exist. The day of the month may have one digit, and the day of the week need not be
  /// that of the date.
  private static func date(_ text: String) -> Date? {
    let format = /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/
      .asciiOnlyDigits()
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let match = text.wholeMatch(of: format), let index = months.firstIndex(of: String(match.2)),
      let day = Int(decimal: match.1), let year = Int(decimal: match.3), let hour = Int(decimal: match.4),
      let minute = Int(decimal: match.5), let second = Int(decimal: match.6)
    else { return nil }
    let month = index + 1
    // Checked: a month has at least 28 days.
    guard (1...GregorianCalendar.days(of: month, in: year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    // Checked: numbers of at most four digits, with which no sum or product overflows.
    let seconds = GregorianCalendar.days(to: day, month, year) * 86_400 + hour * 3_600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }
}
