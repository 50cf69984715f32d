import TenonDocuments
package import TenonFoundation
import TenonValues

/// A place in an index: the entry with this value and key, or the gap before the next one. Places are
/// compared like entries: by value, then by key.
struct Place: Hashable {
  /// The encoded values of the indexed fields.
  let value: Data
  /// The encoded document key; empty for the place before all entries with the value.
  let key: Data

  /// - Parameters:
  ///   - value: the encoded values of the indexed fields.
  ///   - key: the encoded document key; empty for the place before all entries with the value.
  init(_ value: Data, _ key: Data = Data()) {
    self.value = value
    self.key = key
  }

  /// Returns whether the place sorts before another. A place without a key precedes all entries with its
  /// value.
  func precedes(_ other: Place) -> Bool {
    value == other.value ? key.precedes(other.key) : value.precedes(other.value)
  }
}

/// A half-open range of index entries: from `lower` up to but not including `upper`; to the end of the index
/// if `upper` is `nil`. By default, it is the whole index; conditions only narrow it.
struct PlaceRange: Hashable {
  /// The first place in the range.
  var lower = Place(Data())
  /// The first place after the range; `nil` if the range extends to the end of the index.
  var upper: Place?
  /// Whether the range is empty because its lower bound is beyond the end of the index.
  private(set) var isNothing = false

  /// Whether the range contains no entries.
  var isEmpty: Bool { isNothing || upper.map { !lower.precedes($0) } ?? false }
  /// Whether the range is the whole index.
  var isEverything: Bool { !isNothing && lower == Place(Data()) && upper == nil }

  /// Restricts the range to the entries at or after a place; `nil` is the end of the index, so that the range
  /// becomes empty. A place before the lower bound has no effect.
  mutating func raise(to place: Place?) {
    guard let place else { return isNothing = true }
    if lower.precedes(place) { lower = place }
  }

  /// Restricts the range to the entries before a place; `nil` has no effect, nor has a place after the upper
  /// bound.
  mutating func reduce(to place: Place?) {
    guard let place else { return }
    if upper.map({ place.precedes($0) }) ?? true { upper = place }
  }
}

/// A half-open range of encoded values: from `lower` up to but not including `upper`; unbounded if `upper` is
/// `nil`.
struct ByteRange: Hashable {
  /// The first encoding in the range.
  var lower = Data()
  /// The first encoding after the range; `nil` if the range is unbounded.
  var upper: Data?

  /// Whether the range contains no values.
  var isEmpty: Bool { upper.map { !lower.precedes($0) } ?? false }
  /// Whether the range contains all values.
  var isEverything: Bool { lower.isEmpty && upper == nil }

  /// The range of the same encodings with every bit inverted, which reverses their order because no encoding
  /// is a prefix of another; `nil` if it is empty.
  ///
  /// The bounds change places: an encoding is at or after `lower` if its inverse begins with the inverse of
  /// `lower` or precedes it. The successor of the inverted bound is therefore the exclusive upper bound.
  var inverted: ByteRange? {
    let end = lower.inverted.successor
    guard let upper else { return ByteRange(lower: Data(), upper: end) }
    guard let start = upper.inverted.successor else { return nil }
    return ByteRange(lower: start, upper: end)
  }
}

extension Data {
  /// Returns whether the bytes sort before others in an index, by unsigned lexicographic comparison, which is
  /// also that of SQLite's blobs (https://www.sqlite.org/datatype3.html#sort_order).
  func precedes(_ other: Data) -> Bool { ByteOrder.compare(self, other) < 0 }

  /// The smallest bytes that sort after everything with this prefix; `nil` if there are none, because all
  /// bytes are 255.
  package var successor: Data? {
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
