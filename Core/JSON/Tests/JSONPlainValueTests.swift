import Foundation
import TenonJSON
import TenonTestSupport
import Testing

@Suite(.limited) struct JSONPlainValueTests {
  @Test func valuesCastToTheirSwiftTypes() throws {
    let json: JSON = [
      "i": 5, "d": .double(0.5), "b": true, "s": "tea", "null": .null, "large": .unsigned(.max),
      "l": ["a", "b"],
      "m": ["k": [1, .null]],
    ]
    let value = try #require(json.plainValue as? [String: Any])
    #expect(value["i"] as? Int == 5 && value["d"] as? Double == 0.5 && value["b"] as? Bool == true)
    #expect(value["s"] as? String == "tea" && value["null"] is NSNull && value["null"] as? String == nil)
    #expect(value["large"] as? UInt64 == .max && value["l"] as? [String] == ["a", "b"])
    let elements = try #require((value["m"] as? [String: Any])?["k"] as? [Any])
    #expect(elements.count == 2 && elements[0] as? Int == 1 && elements[1] is NSNull)
  }
}
