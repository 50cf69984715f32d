import Foundation
import TenonJSON
import TenonTestSupport
import Testing

@testable import TenonCallable

/// The encoding of values in the callable protocol.
@Suite(.limited) struct CallableCodingTests {
  private static func wrapped(_ number: String, _ type: String = "Int64Value") -> JSON {
    ["@type": .string("type.googleapis.com/google.protobuf.\(type)"), "value": .string(number)]
  }

  private struct Everything: Codable, Equatable {
    enum Kind: String, Codable { case first, second }
    enum Shape: Codable, Equatable {
      case circle(radius: Double)
      case none
    }
    var flag = true
    var text = "é/\n"
    var int = -7
    var int8 = Int8.min
    var int16 = Int16.max
    var int32 = Int32.min
    var int64 = Int64(1) << 53
    var uint = UInt(7)
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64(9_007_199_254_740_992)
    var double = 0.1
    var float = Float(0.1)
    var whole = 3.0
    var missing: Int?
    var present: Int? = 1
    var data = Data([1, 2, 255])
    var url = URL(string: "https://example.com/a?b=c")!
    var decimal = Decimal(string: "12.5")!
    var kind = Kind.second
    var shapes = [Shape.circle(radius: 1.5), .none]
    var nested = [[1], []]
    var optionals: [Int?] = [1, nil]
    var names = ["a": ["b": 1]]
    var numbers = [1: "x", 2: "y"]
    var range = 1..<5
    var set: Set<String> = ["one"]
  }

  /// Foundation's encoder is the reference for everything but integers and dates.
  @Test func valuesAreEncodedAsByJSONEncoder() throws {
    let value = Everything()
    let encoded = try CallableCoding.encode(value)
    let reference = try JSON(parsing: JSONEncoder().encode(value))
    // The parser makes a whole number an integer.
    #expect(try JSON(parsing: encoded.serialized) == reference)
    #expect(try CallableCoding.decode(Everything.self, from: encoded) == value)
    #expect(try CallableCoding.decode(Everything.self, from: JSON(parsing: encoded.serialized)) == value)
  }

  @Test(
    arguments: [
      ([9_007_199_254_740_992, -9_007_199_254_740_992], [9_007_199_254_740_992, -9_007_199_254_740_992]),
      ([9_007_199_254_740_993], [Self.wrapped("9007199254740993")]),
      ([-9_007_199_254_740_993], [Self.wrapped("-9007199254740993")]),
      ([.min, .max], [Self.wrapped("-9223372036854775808"), Self.wrapped("9223372036854775807")]),
    ] as [([Int64], JSON)])
  func integersBeyondDoublesAreWrapped(numbers: [Int64], expected: JSON) throws {
    #expect(try CallableCoding.encode(numbers) == expected)
    #expect(try CallableCoding.decode([Int64].self, from: expected) == numbers)
    #expect(try CallableCoding.encode(["a": ["b": numbers]]) == ["a": ["b": expected]])
    #expect(try CallableCoding.encode(Optional(numbers)) == expected)
  }

  @Test func unsignedIntegersAreWrappedByTheirType() throws {
    let numbers: [UInt64] = [7, 9_007_199_254_740_993, .max]
    let expected: JSON = [
      7, Self.wrapped("9007199254740993"), Self.wrapped("18446744073709551615", "UInt64Value"),
    ]
    #expect(try CallableCoding.encode(numbers) == expected)
    #expect(try CallableCoding.decode([UInt64].self, from: expected) == numbers)
    #expect(try CallableCoding.encode(UInt.max) == Self.wrapped("18446744073709551615", "UInt64Value"))
  }

  @Test func datesAndOtherTypesWorkAtEveryPlace() throws {
    struct Times: Codable, Equatable {
      var one: Date
      var maybe: Date?
      var many: [Date]
      var named: [String: Date]
    }
    let date = Date(timeIntervalSince1970: 0.25)
    let text: JSON = "1970-01-01T00:00:00.250Z"
    let times = Times(one: date, maybe: date, many: [date], named: ["a": date])
    let encoded = try CallableCoding.encode(times)
    #expect(encoded == ["one": text, "maybe": text, "many": [text], "named": ["a": text]])
    #expect(try CallableCoding.decode(Times.self, from: encoded) == times)
    #expect(try CallableCoding.encode(date) == text)
    #expect(try CallableCoding.encode(Data([255])) == "/w==")
    #expect(try CallableCoding.encode(Decimal(Int64.max)) == Self.wrapped("9223372036854775807"))
    #expect(try CallableCoding.encode(["j": JSON.int(.max)]) == ["j": Self.wrapped("9223372036854775807")])
  }

  /// A type that uses every container.
  private struct Manual: Encodable {
    enum Key: String, CodingKey { case list, inner, own, name }
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode("x", forKey: .name)
      var list = members.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      try list.encodeNil()
      var object = list.nestedContainer(keyedBy: Key.self)
      try object.encodeNil(forKey: .own)
      var deeper = list.nestedUnkeyedContainer()
      try deeper.encode("deep")
      try "super".encode(to: list.superEncoder())
      var inner = members.nestedContainer(keyedBy: Key.self, forKey: .inner)
      try inner.encode(2, forKey: .own)
      try 3.encode(to: members.superEncoder())
      try 4.encode(to: members.superEncoder(forKey: .own))
      // A second container of the same kind adds to the first one.
      var again = encoder.container(keyedBy: Key.self)
      try again.encode("y", forKey: .name)
    }
  }

  @Test func everyContainerCanBeUsed() throws {
    let expected: JSON = [
      "name": "y", "list": [1, .null, ["own": .null], ["deep"], "super"], "inner": ["own": 2], "super": 3,
      "own": 4,
    ]
    #expect(try CallableCoding.encode(Manual()) == expected)
    #expect(try JSON(parsing: JSONEncoder().encode(Manual())) == expected)
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(try CallableCoding.encode([Nothing()]) == [[:]])
  }

  @Test(
    arguments: [
      (["a": [0, Double.nan]], "a[1]: "), (["a": [Float.infinity]], "a[0]: "), (-Double.infinity, ""),
      (["a": ["b": Double.nan]], "a.b: "), ([Date(timeIntervalSince1970: 1e300)], "[0]: "),
      (["d": Decimal.nan], "d: "),
    ] as [(any Encodable & Sendable, String)])
  func valueThatJSONCannotRepresentIsAnErrorWithItsPath(value: any Encodable & Sendable, path: String) {
    let error = #expect(throws: EncodingError.self) { try CallableCoding.encode(value) }
    #expect(error?.codingReason.hasPrefix(path) == true, "\(error?.codingReason ?? "")")
  }

  @Test(arguments: [253_402_300_800, -62_167_219_201, .infinity, -.infinity, .nan, 1e300])
  func dateOutsideTheFormatIsAnError(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    let error = #expect(throws: EncodingError.self) { try CallableCoding.encode([date]) }
    // Callers see the error.
    #expect(error.map { "\($0)" }?.contains("9999") == true)
  }

  @Test(
    arguments: [
      "2026-02-30T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00", "2026-01-01", "", "soon",
      "2026-01-01T00:00:00Z ", "12026-01-01T00:00:00Z",
    ])
  func malformedDateIsAnError(text: String) {
    #expect(throws: DecodingError.self) { try CallableCoding.decode([Date].self, from: [.string(text)]) }
  }

  private indirect enum Chain: Encodable {
    case end
    case link(Chain)
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if case .link(let next) = self { try container.encode(next) }
    }
  }

  @Test(arguments: [127, 128, 10_000])
  func p3NestingIsLimited(count: Int) throws {
    var chain = Chain.end
    for _ in 0..<count { chain = .link(chain) }
    // An array around each link.
    if count < 128 {
      #expect(try CallableCoding.encode(chain).serialized.count == 2 * (count + 1))
    } else {
      let error = #expect(throws: EncodingError.self) { try CallableCoding.encode(chain) }
      #expect(error?.codingReason.contains("128 levels") == true)
    }
    // Without recursion, which would exhaust the stack.
    while case .link(let next) = chain { chain = next }
  }

  @Test(
    arguments: [
      (["a": [1, Self.wrapped("many")]], "a[1]: A wrapped"),
      (["a": ["@type": "x", "b": Self.wrapped("")]], "a.b: A wrapped"),
      (Self.wrapped("-1", "UInt64Value"), "A wrapped"),
    ] as [(JSON, String)])
  func unreadableIntegerIsAnErrorWithItsPath(value: JSON, text: String) {
    let error = #expect(throws: CallableCoding.UnreadableNumber.self) { try CallableCoding.unwrapped(value) }
    #expect(error?.codingReason.hasPrefix(text) == true, "\(error?.codingReason ?? "")")
  }

  @Test func objectOfAnotherTypeIsAMap() throws {
    let value: JSON = ["@type": "type.googleapis.com/other", "value": "7", "n": [Self.wrapped("8")]]
    let expected: JSON = ["@type": "type.googleapis.com/other", "value": "7", "n": [8]]
    #expect(try CallableCoding.unwrapped(value) == expected)
    #expect(try CallableCoding.unwrapped(expected) == expected)
  }
}
