import Foundation
import TenonTestSupport
import TenonValues
import Testing

/// The descriptions of values, paths and writes, which are one line each.
@Suite(.limited) struct DescriptionTests {
  @Test func valuesPrintAsOneLine() {
    let fields: Fields = [
      "b": true, "n": 1, "d": 1.5, "s": "a\"\n", "z": .null, "l": [1, "x"], "m": ["k": 1],
      "odd name": 2,
      "t": .timestamp(Timestamp(seconds: 0, nanoseconds: 250_000_000)), "data": .bytes(Data([1, 2])),
      "g": .geoPoint(GeoPoint(latitude: 1, longitude: -2)),
      "r": .reference(ResourcePath(segments: ["c", "d"])),
      "v": .vector([1, 2]),
    ]
    #expect(
      "\(fields)"
        == #"{b: true, d: 1.5, data: <2 bytes>, g: (1.0, -2.0), l: [1, "x"], m: {k: 1}, n: 1, `odd name`: 2, "#
        + #"r: /c/d, s: "a\"\n", t: 1970-01-01T00:00:00.25Z, v: vector(1.0, 2.0), z: null}"#)
    #expect("\(FieldPath(["a", "b.c", "d`"]))" == #"a.`b.c`.`d\``"#)
  }

  @Test(arguments: [
    (Timestamp(seconds: 0), "1970-01-01T00:00:00Z"), (Timestamp(seconds: -1), "1969-12-31T23:59:59Z"),
    (Timestamp(seconds: 951_782_400, nanoseconds: 1), "2000-02-29T00:00:00.000000001Z"),
    (Timestamp(seconds: 4_107_542_400), "2100-03-01T00:00:00Z"),
    (Timestamp(seconds: -62_135_596_800), "0001-01-01T00:00:00Z"),
    (Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999), "9999-12-31T23:59:59.999999999Z"),
    (Timestamp(seconds: .max), "Timestamp(seconds: 9223372036854775807, nanoseconds: 0)"),
    (Timestamp(seconds: .min, nanoseconds: -1), "Timestamp(seconds: -9223372036854775808, nanoseconds: -1)"),
  ])
  func timestampsPrintInRFC3339(timestamp: Timestamp, text: String) {
    #expect(timestamp.description == text)
  }

  @Test func timestampsPrintAsFoundationPrintsThem() {
    for day in stride(from: Int64(-30_000), to: 100_000, by: 37) {
      let seconds = day * 86_400 + day % 86_400
      #expect(
        Timestamp(seconds: seconds).description
          == Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))
    }
  }

  @Test func writesPrintAsOneLine() {
    let path = ResourcePath(segments: ["notes", "tea"])
    let write = DocumentWrite(
      path, .update(["n": 1], mask: ["n"]), transforms: [FieldTransform("at", .serverTimestamp)],
      precondition: .exists(true))
    #expect("\(write)" == "update notes/tea {n: 1} [n] [at: serverTimestamp] if exists(true)")
  }
}
