import Foundation
import Synchronization
import TenonTestSupport
import Testing

@testable import TenonJSON

@Suite(.limited) struct JSONDecodingTests {
  /// Types whose values are the same in both decoders.
  private struct Everything: Codable, Equatable {
    var bool: Bool
    var text: String?
    var missing: Int?
    var numbers: [Double]
    var integers: [Int8]
    var large: UInt64
    var float: Float
    var nested: [String: [Int: String]]
    var data: Data
    var url: URL
    var date: Date
    var decimal: Decimal
    var optionals: [Int?]
  }

  @Test func valuesAreThoseOfJSONDecoder() throws {
    let value = Everything(
      bool: true, text: "ü\n", missing: nil, numbers: [0.1, -0.0, 1e300, 3], integers: [-128, 127],
      large: .max,
      float: 1.5, nested: ["a": [1: "b", -2: "c"], "": [:]], data: Data([0, 1, 255]),
      url: try #require(URL(string: "https://example.com/a?b=c")),
      date: Date(timeIntervalSince1970: 1e9 + 0.25),
      decimal: try #require(Decimal(string: "12345.678")), optionals: [1, nil, 2])
    let text = try JSONEncoder().encode(value)
    #expect(try JSON.decode(Everything.self, from: text) == value)
    #expect(try JSONDecoder().decode(Everything.self, from: text) == value)
  }

  @Test func fragmentsAreDecoded() throws {
    #expect(try JSON.decode(String.self, from: Data("\"a\"".utf8)) == "a")
    #expect(try JSON.decode(Int?.self, from: Data("null".utf8)) == nil)
    #expect(try JSON.decode(JSON.self, from: Data("[1,null]".utf8)) == [1, .null])
    #expect(
      try JSON.decode([String: JSON?].self, from: Data(#"{"a":null,"b":[]}"#.utf8)) == ["a": nil, "b": []])
  }

  // MARK: - Numbers

  private func decode<Value: Decodable>(_ text: String, _: Value.Type) throws -> Value {
    try JSON.decode(Value.self, from: Data(text.utf8))
  }

  @Test func p3WholeNumbersAreIntegersHoweverTheyAreWritten() throws {
    for text in ["1", "1.0", "10e-1", "0.1e1"] { #expect(try decode(text, Int.self) == 1) }
    #expect(try decode("-0", Int.self) == 0 && decode("-0.0", UInt8.self) == 0)
    #expect(try decode("1e19", UInt64.self) == 10_000_000_000_000_000_000)
    #expect(try decode("18446744073709551615", UInt64.self) == .max)
    #expect(try decode("-9223372036854775808", Int64.self) == .min)
  }

  @Test(arguments: ["1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e300", "-1e300"])
  func p3NumbersThatAnIntegerCannotRepresentAreErrors(text: String) {
    for text in [text, "[\(text)]"] {
      let error = #expect(throws: DecodingError.self) {
        _ = text.hasPrefix("[") ? try decode(text, [Int].self) : [try decode(text, Int.self)]
      }
      guard case .dataCorrupted(let context)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.debugDescription == "The number can't be represented by Int.")
    }
  }

  @Test func p3NarrowTypesAreChecked() {
    #expect(throws: DecodingError.self) { try decode("256", UInt8.self) }
    #expect(throws: DecodingError.self) { try decode("-1", UInt64.self) }
    #expect(throws: DecodingError.self) { try decode("128", Int8.self) }
    #expect(throws: DecodingError.self) { try decode("1e39", Float.self) }
    #expect(throws: DecodingError.self) { try decode("1e300", Decimal.self) }
    #expect(throws: JSONError.self) { try decode("1e999", Double.self) }
  }

  @Test func integersBeyondADoubleAreRounded() throws {
    #expect(try decode("9007199254740993", Double.self) == 9_007_199_254_740_992)
    #expect(try decode("18446744073709551615", Double.self) == 0x1p64)
  }

  // MARK: - Errors

  private struct Order: Decodable {
    struct Item: Decodable {
      var count: Int
      var data: Data?
    }
    var items: [Item]
  }

  @Test(
    arguments: [
      (#"{"items":[{"count":1},{"count":"two"}]}"#, "items 1 count", "It is a string instead of a number."),
      (#"{"items":[{"count":null}]}"#, "items 0 count", "It is null instead of a number."),
      (#"{"items":{}}"#, "items", "It is an object instead of an array."),
      (#"{"items":[[]]}"#, "items 0", "It is an array instead of an object."),
      (#"{"items":[{}]}"#, "items 0", "There is no member of this name."),
      (#"{"items":[{"count":1,"data":"?"}]}"#, "items 0 data", "It isn't base64."),
    ])
  func errorsHaveTheCodingPathAndAReason(text: String, path: String, reason: String) {
    let error = #expect(throws: DecodingError.self) { try decode(text, Order.self) }
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      default: nil
      }
    let keys = context?.codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    #expect(keys?.joined(separator: " ") == path)
    #expect(context?.debugDescription == reason)
  }

  @Test func endOfAnArrayIsAnError() {
    struct Pair: Decodable {
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try (container.decode(Int.self), container.decode(Int.self))
      }
    }
    #expect(throws: DecodingError.self) { try decode("[1]", Pair.self) }
    #expect(throws: Never.self) { try decode("[1,2,3]", Pair.self) }
  }

  // MARK: - Cost

  /// Counts the calls of `init(from:)`.
  private final class Counter: Sendable {
    @TaskLocal static var current: Counter?
    let calls = Atomic(0)
  }

  /// A tree that tries both forms of a node, as types for arbitrary JSON do.
  private struct Node: Decodable {
    init(from decoder: any Decoder) throws {
      Counter.current?.calls.add(1, ordering: .relaxed)
      let container = try decoder.singleValueContainer()
      if (try? container.decode(String.self)) != nil || (try? container.decode(Double.self)) != nil { return }
      if (try? decoder.unkeyedContainer()) != nil {
        _ = try container.decode([Node].self)
      } else {
        _ = try container.decode([String: Node].self)
      }
    }
  }

  @Test(arguments: [1, 16, 64]) func p3EachValueIsDecodedOnce(depth: Int) throws {
    let deep = String(repeating: #"[{"a":"#, count: depth) + "[]" + String(repeating: "}]", count: depth)
    let wide = "[" + Array(repeating: "[0]", count: depth * 100).joined(separator: ",") + "]"
    let texts = depth < 64 ? [(deep, depth * 2 + 1), (wide, depth * 200 + 1)] : [(wide, depth * 200 + 1)]
    for (text, values) in texts {
      let counter = Counter()
      try Counter.$current.withValue(counter) { _ = try decode(text, Node.self) }
      #expect(counter.calls.load(ordering: .relaxed) == values)
    }
  }

  /// Through another decoder, JSON of any form could only be found by trial, which takes cubic time.
  @Test func p3OtherDecodersOfJSONAreRefused() {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSON.self, from: Data("[1]".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([JSON].self, from: Data("[1]".utf8)) }
  }

  /// Secondary threads of Apple's systems have stacks of 512 KiB.
  @Test func p3TheGreatestDepthFitsOnASmallStack() async throws {
    let half = JSON.deepestNesting / 2
    let text = Data(
      (String(repeating: #"[{"a":"#, count: half) + "1" + String(repeating: "}]", count: half)).utf8)
    let succeeded = await withCheckedContinuation { continuation in
      let thread = Thread {
        let value = try? JSON(parsing: text)
        let nodes = try? value?.decode(Node.self)
        let copy = try? value.map { try JSON(parsing: $0.serialized) }
        continuation.resume(returning: nodes != nil && value != nil && copy == value)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(succeeded)
  }
}
