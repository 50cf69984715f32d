import TenonValues

/// A list of byte strings in contiguous memory that can be sorted quickly.
///
/// It is used to sort thousands of index keys in one go. Many of them share long prefixes, and common
/// prefixes are examined once instead of in every comparison. It is a value type without locks; its owner
/// guards it.
package struct ByteStrings {
  /// The strings' bytes, concatenated in the order in which they were added.
  ///
  /// There are no separators between them.
  package private(set) var bytes: [UInt8] = []
  /// The end of each string in ``bytes``.
  private var ends: [Int] = []

  /// Creates an empty list.
  package init() {}

  /// The number of strings.
  package var count: Int { ends.count }

  /// Appends a string.
  ///
  /// The string may be empty. Its index is the number of strings that were appended before it.
  ///
  /// - Parameter write: appends the string's bytes to the array passed to it, and must not change the bytes
  ///   already there.
  package mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  /// Removes all strings and keeps the allocated memory for later ones.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Returns the indices of the strings, sorted lexicographically by their bytes. Equal strings keep the
  /// order in which they were added.
  ///
  /// The strings are grouped by eight bytes at a time, beginning after the prefix that all of them have in
  /// common; only groups whose members share all eight bytes are sorted further. This is a radix sort from
  /// the most significant digit, in which a digit has eight bytes and each pass compares digits as numbers.
  ///
  /// - Returns: a permutation of the numbers from 0 up to the number of strings.
  /// - Complexity: O(*n* log *n*) comparisons of numbers per pass for *n* strings. The number of nested
  ///   passes is at most one more than an eighth of the length of the longest string.
  package func sorted() -> [Int] {
    var order: [Int] = []
    order.reserveCapacity(count)
    sort(ends.indices.map { Item(index: $0) }, behind: 0, into: &order)
    return order
  }

  /// A string, represented by the next eight bytes to be compared.
  private struct Item {
    /// The index of the string.
    let index: Int
    /// The next eight bytes as a big-endian number; missing bytes count as 0.
    var rank: UInt64 = 0
    /// How many of those eight bytes exist. It distinguishes a missing byte from a zero byte.
    var length = 0

    /// Orders items by their bytes, then by their indices.
    static func < (left: Item, right: Item) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      return left.length != right.length ? left.length < right.length : left.index < right.index
    }
  }

  /// Sorts strings that have the first `depth` bytes in common, and appends their indices to `order`.
  ///
  /// Items with the same rank and a length of less than 8 are equal strings: both end within these bytes.
  /// Their indices are ascending, because items with equal bytes are ordered by index.
  ///
  /// - Parameters:
  ///   - items: the strings.
  ///   - depth: the number of bytes that are known to be equal. No string is shorter.
  ///   - order: the result, to which as many indices are appended as there are items.
  private func sort(_ items: [Item], behind depth: Int, into order: inout [Int]) {
    let depth = depth + commonPrefix(of: items, behind: depth)
    var items = items
    for place in items.indices {
      let rest = rest(of: items[place].index, behind: depth)
      items[place].rank = ByteOrder.rank(of: bytes.span.extracting(rest))
      items[place].length = min(rest.count, 8)
    }
    items.sort(by: <)
    var start = items.startIndex
    while start < items.endIndex {
      let first = items[start]
      let end =
        items[start...].firstIndex { $0.rank != first.rank || $0.length != first.length } ?? items.endIndex
      if end - start > 1, first.length == 8 {
        // These strings share all eight bytes; later ones decide.
        sort(Array(items[start..<end]), behind: depth + 8, into: &order)
      } else {
        for item in items[start..<end] { order.append(item.index) }
      }
      start = end
    }
  }

  /// Returns how many bytes after the first `depth` ones all items have in common; 0 without items.
  ///
  /// - Complexity: O(*n* · *m*) for *n* items of which the first two have *m* bytes in common.
  private func commonPrefix(of items: [Item], behind depth: Int) -> Int {
    guard let first = items.first else { return 0 }
    let bytes = bytes.span
    let beginning = bytes.extracting(rest(of: first.index, behind: depth))
    return items.dropFirst().reduce(beginning.count) { length, item in
      ByteOrder.commonPrefix(
        beginning.extracting(first: length), bytes.extracting(rest(of: item.index, behind: depth)))
    }
  }

  /// Returns the range of a string in ``bytes``, without its first `depth` bytes.
  private func rest(of index: Int, behind depth: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1]) + depth..<ends[index]
  }
}
