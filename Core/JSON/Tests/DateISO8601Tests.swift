import Foundation
import TenonTestSupport
import Testing

@testable import TenonJSON

@Suite(.limited) struct DateISO8601Tests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01.250Z", 1.25), ("1969-12-31T23:59:59Z", -1),
      ("2000-02-29T12:00:00Z", 951_825_600), ("2024-02-29T00:00:00Z", 1_709_164_800),
      ("2026-11-21T09:30:00+01:00", 1_795_249_800), ("2026-11-21T09:30:00-0130", 1_795_258_800),
      ("2026-12-31T23:59:59.999999999Z", 1_798_761_599.999999999), ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("2026-03-01t00:00:00z", 1_772_323_200),
    ])
  func dateIsParsed(text: String, seconds: Double) throws {
    #expect(try #require(Date(iso8601: text)).timeIntervalSince1970 == seconds)
  }

  @Test(
    arguments: [
      "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00", "2026-01-01", "2026-01-01T00:00:00.Z", "", "soon",
      "٢٠٢٦-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", "12026-01-01T00:00:00Z", "-2026-01-01T00:00:00Z",
    ])
  func invalidDateIsRejected(text: String) {
    #expect(Date(iso8601: text) == nil)
  }

  @Test func writtenDatesAreParsedBack() throws {
    for day in stride(from: -719_528, to: 2_932_897, by: 997) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 0.25)
      #expect(Date(iso8601: try #require(date.iso8601Milliseconds)) == date)
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-0.0001, "1969-12-31T23:59:59.999Z"),
      (1_795_249_800.5, "2026-11-21T08:30:00.500Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      // The day before the Gregorian calendar, the first day of year 1, and the limits of the range.
      (-12_219_379_200, "1582-10-14T00:00:00.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
      (-62_167_219_200, "0000-01-01T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
    ])
  func dateIsWrittenInTheGregorianCalendar(seconds: Double, text: String) {
    #expect(Date(timeIntervalSince1970: seconds).iso8601Milliseconds == text)
  }

  @Test(arguments: [253_402_300_800, -62_167_219_201, .infinity, -.infinity, .nan, 1e300])
  func dateOutsideTheFormatHasNoText(seconds: Double) {
    #expect(Date(timeIntervalSince1970: seconds).iso8601Milliseconds == nil)
  }
}
