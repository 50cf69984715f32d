import Foundation
import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

/// Values in the JSON form of `google.firestore.v1`.
@Suite(.limited) struct FirestoreValueJSONTests {
  private static func value(_ json: String) throws -> Value { try FirestoreJSON(Data(json.utf8)).value() }

  @Test(
    arguments: [
      (#"{"doubleValue": 2}"#, 2.0), (#"{"doubleValue": "1.5"}"#, 1.5), (#"{"doubleValue": "-25E-1"}"#, -2.5),
      (#"{"doubleValue": "7"}"#, 7.0), (#"{"doubleValue": "NaN"}"#, .double(.nan)),
      (#"{"doubleValue": "Infinity"}"#, .double(.infinity)),
      (#"{"doubleValue": "-Infinity"}"#, .double(-.infinity)),
      (#"{"integerValue": "7"}"#, 7), (#"{"nullValue": null}"#, .null),
      (#"{"timestampValue": {"nanos": 5}}"#, .timestamp(Timestamp(seconds: 0, nanoseconds: 5))),
      (#"{"timestampValue": {"seconds": "7"}}"#, .timestamp(Timestamp(seconds: 7))),
      (
        #"{"timestampValue": {"seconds": -7, "nanos": 9}}"#,
        .timestamp(Timestamp(seconds: -7, nanoseconds: 9))
      ),
      (#"{"timestampValue": {}}"#, .timestamp(Timestamp(seconds: 0))),
      (
        #"{"timestampValue": {"seconds": "-62135596800"}}"#, .timestamp(Timestamp(seconds: -62_135_596_800))
      ),
      (
        #"{"timestampValue": {"seconds": "253402300799", "nanos": 999999999}}"#,
        .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999))
      ),
      (#"{"integerValue": "-9223372036854775808"}"#, .integer(.min)),
      (#"{"doubleValue": "1e-400"}"#, 0.0), (#"{"doubleValue": "+5"}"#, 5.0),
      (#"{"geoPointValue": {"latitude": 1}}"#, .geoPoint(GeoPoint(latitude: 1, longitude: 0))),
      (
        #"{"geoPointValue": {"latitude": "-1.5", "longitude": null}}"#,
        .geoPoint(GeoPoint(latitude: -1.5, longitude: 0))
      ),
      (#"{"arrayValue": {}}"#, []), (#"{"arrayValue": {"values": [{"booleanValue": true}]}}"#, [true]),
      (#"{"mapValue": {}}"#, [:]), (#"{"mapValue": {"fields": {"a": {"stringValue": "x"}}}}"#, ["a": "x"]),
      (
        vector(#"[{"doubleValue": 1.5}, {"integerValue": "2"}, {"doubleValue": "3"}]"#), .vector([1.5, 2, 3])
      ),
      (vector("[]"), .vector([])),
    ] as [(String, Value)])
  func aValueIsRead(json: String, expected: Value) throws { #expect(try Self.value(json) == expected) }

  @Test(
    arguments: [
      #"{"doubleValue": ""}"#, #"{"doubleValue": "soon"}"#, #"{"doubleValue": " 1"}"#,
      #"{"doubleValue": "0x10"}"#,
      #"{"doubleValue": "inf"}"#, #"{"doubleValue": "nan"}"#, #"{"doubleValue": "1e999"}"#,
      #"{"doubleValue": true}"#,
      #"{"timestampValue": {"seconds": "soon"}}"#, #"{"timestampValue": {"seconds": 1, "nanos": "soon"}}"#,
      #"{"timestampValue": {"seconds": 1, "nanos": 4294967296}}"#, #"{"timestampValue": {"_seconds": 1}}"#,
      #"{"timestampValue": {"nanos": -1}}"#, #"{"timestampValue": {"nanos": 1000000000}}"#,
      #"{"timestampValue": {"seconds": "-62135596801"}}"#, #"{"timestampValue": {"seconds": 253402300800}}"#,
      #"{"timestampValue": {"seconds": 1e300}}"#, #"{"timestampValue": {"seconds": "1e300"}}"#,
      #"{"timestampValue": {"seconds": "9223372036854775807"}}"#,
      #"{"timestampValue": {"seconds": "-9223372036854775808"}}"#,
      #"{"timestampValue": {"seconds": 9223372036854775808}}"#, #"{"timestampValue": {"seconds": "NaN"}}"#,
      #"{"timestampValue": {"seconds": "+5"}}"#, #"{"timestampValue": {"seconds": " 5"}}"#,
      #"{"timestampValue": {"seconds": "0x10"}}"#, #"{"timestampValue": {"seconds": ""}}"#,
      #"{"timestampValue": 5}"#, #"{"timestampValue": null}"#,
      #"{"integerValue": "9223372036854775808"}"#, #"{"integerValue": 9223372036854775808}"#,
      #"{"integerValue": "-9223372036854775809"}"#, #"{"integerValue": "999999999999999999999"}"#,
      #"{"integerValue": "1e300"}"#, #"{"integerValue": 1e300}"#, #"{"integerValue": "NaN"}"#,
      #"{"integerValue": "+5"}"#, #"{"integerValue": " 5"}"#, #"{"integerValue": "0x10"}"#,
      #"{"integerValue": ""}"#, #"{"integerValue": 0.5}"#,
      #"{"geoPointValue": {"latitude": "north", "longitude": 1}}"#,
      #"{"geoPointValue": {"longitude": true}}"#,
      #"{"geoPointValue": 5}"#, #"{"arrayValue": [{"integerValue": "1"}]}"#,
      #"{"arrayValue": {"values": 5}}"#,
      #"{"mapValue": 5}"#, #"{"mapValue": {"fields": 5}}"#,
      vector(#"[{"doubleValue": 1}, {"stringValue": "x"}]"#), vector(#"[{"nullValue": null}]"#),
      #"{"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}}}}"#,
      #"{"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"integerValue": "1"}}}}"#,
    ])
  func aMalformedValueIsReportedAsDamaged(json: String) {
    let thrown = #expect(throws: DocumentError.self) { try Self.value(json) }
    #expect(thrown?.code == .damaged)
  }

  /// Returns the JSON form of a vector with an array of components.
  private static func vector(_ components: String) -> String {
    #"{"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "#
      + #""value": {"arrayValue": {"values": \#(components)}}}}}"#
  }
}
