import Foundation
import TenonDocuments

/// A place in an index: before or at the entry with these bytes.
struct Place: Hashable {
  let value: Data
  let key: Data

  init(_ value: Data, _ key: Data = Data()) {
    self.value = value
    self.key = key
  }

  func precedes(_ other: Place) -> Bool {
    value == other.value ? key.precedes(other.key) : value.precedes(other.value)
  }
}

/// The entries of an index from one place up to another, which isn't included; up to its end if `nil`.
struct PlaceRange: Hashable {
  var lower = Place(Data())
  var upper: Place?
  /// Whether the range is empty.
  private(set) var isNothing = false

  var isEmpty: Bool { isNothing || upper.map { !lower.precedes($0) } ?? false }
  var isEverything: Bool { !isNothing && lower == Place(Data()) && upper == nil }

  /// Restricts the range to what is at a place or after it; to nothing if it is `nil`.
  mutating func raise(to place: Place?) {
    guard let place else { return isNothing = true }
    if lower.precedes(place) { lower = place }
  }

  /// Restricts the range to what is before a place; to everything if it is `nil`.
  mutating func reduce(to place: Place?) {
    guard let place else { return }
    if upper.map({ place.precedes($0) }) ?? true { upper = place }
  }
}

/// The encodings from one up to another, which isn't included; up to the last one if `nil`.
struct ByteRange: Hashable {
  var lower = Data()
  var upper: Data?

  var isEmpty: Bool { upper.map { !lower.precedes($0) } ?? false }
  var isEverything: Bool { lower.isEmpty && upper == nil }

  /// The same encodings with every bit inverted, which inverts their order: no encoding is a prefix of another one.
  var inverted: ByteRange? {
    let end = lower.inverted.successor
    guard let upper else { return ByteRange(lower: Data(), upper: end) }
    guard let start = upper.inverted.successor else { return nil }
    return ByteRange(lower: start, upper: end)
  }
}

extension Data {
  /// Returns whether these bytes precede others in an index.
  func precedes(_ other: Data) -> Bool { ByteOrder.compare(self, other) < 0 }

  /// The least bytes that sort after everything that has these as a prefix; `nil` if there are none.
  var successor: Data? {
    var bytes = self
    while let last = bytes.popLast() {
      guard last == .max else {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }

  /// The bytes with every bit inverted.
  var inverted: Data { Data(map(~)) }
}
