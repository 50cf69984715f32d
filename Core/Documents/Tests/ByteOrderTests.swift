import Foundation
import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

/// Bytes are compared eight at a time, so every length and every position of a difference is tested.
@Suite(.limited) struct ByteOrderTests {
  private static let lengths = 0..<26

  @Test(arguments: lengths)
  func valuesThatDifferAnywhereAreDifferent(length: Int) {
    let text = String(repeating: "m", count: length)
    #expect(ByteOrder.compare(text, text) == 0)
    #expect(ByteOrder.compare(text, text + "a") == -1)
    #expect(ByteOrder.compare(text + "a", text) == 1)
    for place in 0..<length {
      for (letter, order) in [("a", -1), ("z", 1), ("\u{0}", -1), ("ü", 1)] {
        var other = Array(repeating: "m", count: length)
        other[place] = letter
        #expect(ByteOrder.compare(other.joined(), text) == order, "\(letter) at \(place)")
        #expect(
          ByteOrder.compare(Data(other.joined().utf8), Data(text.utf8)) == order, "\(letter) at \(place)")
        #expect(!UTF8Text.areEqual(other.joined(), text))
      }
    }
  }

  @Test(arguments: lengths)
  func textWithNULIsOrderedByItsBytes(length: Int) {
    // Two strings in sequence: the end of the first one must be distinguishable from a zero in it.
    let text = String(repeating: "m", count: length)
    for place in 0...length {
      let index = text.index(text.startIndex, offsetBy: place)
      let withZero = text[..<index] + "\u{0}" + text[index...]
      let (left, right): (Value, Value) = (.string(String(withZero)), .string(text))
      let bytes = (OrderedEncoding.encode(left), OrderedEncoding.encode(right))
      #expect(bytes.0.lexicographicallyPrecedes(bytes.1) == (left.compare(right) < 0), "a zero at \(place)")
      #expect(bytes.0 != bytes.1)
      #expect(
        OrderedEncoding.encode(.array([left, 1])).lexicographicallyPrecedes(
          OrderedEncoding.encode(.array([right, 1]))) == (left.compare(right) < 0))
    }
  }

  @Test func fieldsAreFoundAmongManyByTheirBytes() {
    let names = (0..<40).map { String(repeating: "n", count: $0 % 20) + "\($0)" } + ["é", "e\u{301}"]
    let fields = Fields(unsorted: names.enumerated().map { .init(name: $1, value: .integer(Int64($0))) })
    for (index, name) in names.enumerated() { #expect(fields[name] == .integer(Int64(index))) }
    #expect(fields["nn"] == nil)
  }
}
