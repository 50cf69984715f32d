import TenonTestSupport
import TenonValues
import Testing

@testable import TenonDocuments

@Suite(.limited) struct MomentTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0), ("2024-02-29T00:00:00.5Z", 1_709_164_800, 500_000_000),
      ("2026-11-21T09:30:00+01:00", 1_795_249_800, 0), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
      ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_000),
    ])
  func aTimestampIsParsed(text: String, seconds: Int64, nanoseconds: Int32) {
    #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(
    arguments: [
      "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z",
      "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00.\u{661}Z", "soon",
    ])
  func anInvalidTimestampIsRejected(text: String) { #expect(Timestamp(rfc3339: text) == nil) }
}
