import Foundation
import TenonDocuments
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct TimestampMillisecondsTests {
  @Test(
    arguments: [
      (0, 0, 0, "1970-01-01T00:00:00.000Z"),
      (1_700_000_000_123, 1_700_000_000, 123_000_000, "2023-11-14T22:13:20.123Z"),
      (-500, -1, 500_000_000, "1969-12-31T23:59:59.500Z"),
      (253_402_300_799_999, 253_402_300_799, 999_000_000, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, -62_167_219_200, 0, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, Int64, Int32, String)])
  func millisecondsAreSecondsAndNanoseconds(_ count: Int64, seconds: Int64, nanoseconds: Int32, text: String)
  {
    let time = Timestamp(millisecondsSince1970: count)
    #expect(time == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(time.millisecondsSince1970 == count)
    #expect(time.iso8601 == text)
  }

  @Test(arguments: [(Int64.min, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z")])
  func timesBeyondTheFormatAreItsFirstOrLast(_ count: Int64, text: String) {
    #expect(Timestamp(millisecondsSince1970: count).iso8601 == text)
  }

  @Test func fractionsOfAMillisecondAreRoundedDown() {
    #expect(Timestamp(seconds: 1, nanoseconds: 999_999_999).millisecondsSince1970 == 1_999)
    #expect(Timestamp(seconds: -1, nanoseconds: 1).millisecondsSince1970 == -1_000)
    let time = TimeSource(date: { Date(timeIntervalSince1970: 1_700_000_000.1239) }).timestamp()
    #expect(time == Timestamp(seconds: 1_700_000_000, nanoseconds: 123_900_000))
    #expect(time.millisecondsSince1970 == 1_700_000_000_123)
  }
}
