import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

/// The results of field transforms, as the server computes them.
@Suite(.limited) struct TransformTests {
  private static let commitTime = Timestamp(seconds: 100, nanoseconds: 123_456_789)

  private static func result(_ kind: FieldTransform.Kind, on old: Value?) -> Value {
    FieldTransform("f", kind).result(on: old, at: commitTime)
  }

  @Test(arguments: [
    (Value?.none, Value.integer(3), Value.integer(3)),
    (.string("x"), .integer(3), .integer(3)),
    (.integer(4), .integer(3), .integer(7)),
    (.integer(4), .integer(-5), .integer(-1)),
    (.integer(.max), .integer(1), .integer(.max)),
    (.integer(.min), .integer(-1), .integer(.min)),
    (.integer(1), .double(0.5), .double(1.5)),
    (.double(0.5), .integer(1), .double(1.5)),
    (.double(.infinity), .integer(1), .double(.infinity)),
    (.double(.nan), .integer(1), .double(.nan)),
  ])
  func increment(old: Value?, operand: Value, expected: Value) {
    #expect(Self.result(.increment(operand), on: old) == expected)
  }

  @Test(
    arguments: [
      (Value?.none, Value.integer(3), Value.integer(3), Value.integer(3)),
      (.boolean(true), .double(3), .double(3), .double(3)),
      (.integer(4), .integer(3), .integer(3), .integer(4)),
      // The result has the type of the selected operand; if both are equal, the old value is kept.
      (.integer(4), .double(3.5), .double(3.5), .integer(4)),
      (.integer(3), .double(3), .integer(3), .integer(3)),
      (.double(-0.0), .integer(0), .double(-0.0), .double(-0.0)),
      (.double(.nan), .integer(1), .double(.nan), .double(.nan)),
      (.integer(1), .double(.nan), .double(.nan), .double(.nan)),
      // Exact beyond the precision of a double.
      (
        .integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), .double(9_007_199_254_740_992),
        .integer(9_007_199_254_740_993)
      ),
    ] as [(Value?, Value, Value, Value)])
  func minimumAndMaximum(old: Value?, operand: Value, minimum: Value, maximum: Value) {
    #expect(Self.result(.minimum(operand), on: old) == minimum)
    #expect(Self.result(.maximum(operand), on: old) == maximum)
  }

  @Test func unionAppendsElementsThatAreNotEqualToOnesPresent() {
    #expect(Self.result(.union([1, 2, 2, "a"]), on: [2]) == [2, 1, "a"])
    #expect(Self.result(.union([.double(1), .double(.nan), .double(.nan)]), on: [1]) == [1, .double(.nan)])
    #expect(Self.result(.union([["a": 1]]), on: [["a": .double(1)]]) == [["a": .double(1)]])
    #expect(Self.result(.union([1]), on: "no array") == [1])
    #expect(Self.result(.union([]), on: nil) == [])
  }

  @Test func removeRemovesAllEqualElements() {
    #expect(Self.result(.remove([.double(1), "a"]), on: [1, 2, 1, "a"]) == [2])
    #expect(Self.result(.remove([1]), on: 5) == [])
    #expect(Self.result(.remove([1]), on: nil) == [])
  }

  @Test func theServerTimestampIsTruncatedToMilliseconds() {
    #expect(
      Self.result(.serverTimestamp, on: 1)
        == .timestamp(Timestamp(seconds: 100, nanoseconds: 123_000_000)))
  }

  @Test func transformsApplyAfterTheOperationInTheirOrder() throws {
    let write = DocumentWrite(
      ResourcePath(segments: ["c", "d"]), .update(["n": 10, "m": [:]], mask: ["n", "m"]),
      transforms: [
        FieldTransform("n", .increment(1)), FieldTransform("n", .maximum(5)),
        FieldTransform("m.x", .increment(2)),
        FieldTransform("k", .increment(1)),
      ])
    #expect(
      try write.result(on: ["n": 1, "m": ["x": 1], "k": 7], at: Self.commitTime) == [
        "n": 11, "m": ["x": 2], "k": 8,
      ])
  }

  @Test(arguments: [
    FieldTransform.Kind.increment("x"), .minimum(.null), .maximum([]), .union([[1]]),
  ])
  func aTransformThatCannotBeComputedNamesItsField(kind: FieldTransform.Kind) {
    let write = DocumentWrite(
      ResourcePath(segments: ["c", "d"]), .set([:]), transforms: [FieldTransform("the.field", kind)])
    let thrown = #expect(throws: DocumentError.self) { try write.result(on: nil, at: Self.commitTime) }
    #expect(thrown?.code == .badValue)
    #expect(thrown?.message.contains("the.field") == true)
  }
}
