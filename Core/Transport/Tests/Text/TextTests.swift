import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The operations on text and bytes that replace those of the full Foundation, beside which they are tested.
@Suite(.limited) struct TextTests {
  @Test(
    arguments: [
      "", "plain", "%41%c3%A9", "%00", "a+b", "é%41", "%", "%4", "%4g", "%zz", "%ff", "%C3", "%ed%a0%80",
      "100%25", "%%41",
      "%+1", "% 1",
    ])
  func percentEncodingIsDecodedLikeFoundation(text: String) {
    #expect(PercentEncoding.decode(text) == text.removingPercentEncoding)
    #expect(PercentEncoding.decode("-\(text)-".dropFirst().dropLast()) == text.removingPercentEncoding)
  }

  @Test func onlyUnreservedCharactersOfAQueryValueAreKept() {
    let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    let text = String(String.UnicodeScalarView((0..<128).map(Unicode.Scalar.init))) + "éß日🎈"
    let encoded = PercentEncoding.queryValue(text)
    #expect(
      encoded == text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved)))
    #expect(PercentEncoding.decode(encoded) == text)
    #expect(PercentEncoding.decode(PercentEncoding.segment(text)) == text)
  }

  @Test func aSegmentKeepsTheCharactersOfASegmentButNoSlash() {
    #expect(PercentEncoding.segment("a/b c@d:e=f?#[]%") == "a%2Fb%20c@d:e=f%3F%23%5B%5D%25")
  }

  @Test(arguments: [
    "", " ", "a", " \t\r\n a b \u{85}\u{A0}\u{2028}\u{3000}", "\u{B}a\u{C}", " e\u{301}", "\u{301} ",
  ])
  func whiteSpaceAtBothEndsIsRemoved(text: String) {
    #expect(text.trimmed == text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  @Test func chosenScalarsAtBothEndsAreRemoved() {
    #expect("[[::1]]".trimmed { $0 == "[" || $0 == "]" } == "::1")
    #expect("\"a\"b\"".trimmed { $0 == "\"" } == "a\"b")
    #expect("]]".trimmed { $0 == "]" } == "")
  }

  @Test(
    arguments: [
      ("", "a"), ("a", "a"), ("ba", "a"), ("aab", "ab"), ("aaaaab", "aab"), ("abcab", "cab"), ("abc", "abcd"),
      ("abab", "abc"), ("xabx", "bx"), ("aaa", "b"),
    ])
  func bytesAreFoundWhereTheyOccurFirst(text: String, pattern: String) {
    let (bytes, wanted) = (Data(text.utf8), Data(pattern.utf8))
    #expect(bytes.firstOccurrence(of: wanted) == bytes.range(of: wanted))
    // A slice keeps the indices of the whole, and bytes outside of it aren't found.
    let slice = Data("ab\(text)ab".utf8).dropFirst(2).dropLast(2)
    #expect(slice.firstOccurrence(of: wanted) == slice.range(of: wanted))
  }

  @Test func noBytesAreFoundNowhere() {
    #expect(Data("a".utf8).firstOccurrence(of: Data()) == nil)
    #expect(Data().firstOccurrence(of: Data()) == nil)
  }

  @Test(
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Thu, 29 Feb 2024 23:59:59 GMT", "Fri, 31 Dec 9999 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun,06 Nov 1994",
      "sun, 06 nov 1994 08:49:37 gmt", "",
    ])
  func datesOfRetryAfterAreReadAsByFoundation(text: String) {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let response = TransportResponse(
      status: 503, headers: HTTPHeaders([HTTPHeader(name: "Retry-After", value: text)]))
    for seconds in [-100.0, 0, 100] {
      guard let date = format.date(from: text) else {
        #expect(response.retryAfter(now: Date(timeIntervalSince1970: seconds)) == nil)
        continue
      }
      #expect(response.retryAfter(now: date.addingTimeInterval(-seconds)) == .seconds(max(0, seconds)))
    }
  }
}
