import Foundation
import TenonJSON
import TenonTestSupport
import Testing

@testable import TenonCallable

/// The reasons of encoding and decoding errors.
@Suite(.limited) struct CodingReasonTests {
  private struct Order: Codable {
    struct Item: Codable { var count: Int }
    var items: [Item]
  }

  @Test(
    arguments: [
      (#"{"items": [{"count": 1}, {"count": "two"}]}"#, "items[1].count: "),
      (#"{"items": [{}]}"#, #"items[0]: It has no member "count"."#),
      (#"{}"#, #"It has no member "items"."#),
    ])
  func decodingErrorsNameThePath(json: String, start: String) throws {
    let error = try #require(
      #expect(throws: DecodingError.self) { try JSON.decode(Order.self, from: Data(json.utf8)) })
    #expect(error.codingReason.hasPrefix(start), "\(error.codingReason)")
  }

  @Test func encodingErrorsNameThePath() throws {
    let error = try #require(
      #expect(throws: EncodingError.self) {
        try CallableCoding.encode(["due": [Date(timeIntervalSince1970: 1e300)]])
      })
    #expect(error.codingReason == "due[0]: The date is outside the years 0 to 9999 of ISO 8601.")
  }

  @Test func otherErrorsHaveTheirShortDescription() {
    let error = CocoaError(.fileNoSuchFile)
    #expect(!error.codingReason.contains("Error Domain"))
    let wrapped: JSON = ["@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "many"]
    let unreadable = #expect(throws: CallableCoding.UnreadableNumber.self) {
      try CallableCoding.unwrapped(wrapped)
    }
    #expect(unreadable?.codingReason == "A wrapped integer has no valid text.")
  }

  @Test func anErrorOfAnEncodableTypeIsASentenceWithoutItsValues() {
    struct Custom: Error { let secret = "s3cret" }
    #expect(Custom().codingReason.hasPrefix("The operation could not be completed. ("))
    #expect(Custom().codingReason.hasSuffix(".Custom error 1.)") || Custom().codingReason.contains("Custom"))
    #expect(!Custom().codingReason.contains("s3cret"))
  }
}
