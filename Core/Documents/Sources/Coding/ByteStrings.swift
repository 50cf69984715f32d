/// Byte strings that lie one after the other, and can be walked in the order of their bytes.
///
/// Thousands of keys of an index are put in order at once, and many of them begin alike: what they have in common is looked
/// at once, not in each comparison.
package struct ByteStrings {
  /// The strings, without anything between them.
  package private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []

  package init() {}

  package var count: Int { ends.count }

  /// Adds a string.
  ///
  /// - Parameter write: appends the string's bytes to the others.
  package mutating func append(_ write: (inout [UInt8]) -> Void) {
    write(&bytes)
    ends.append(bytes.count)
  }

  /// Removes all strings; their memory is kept for the next ones.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// The strings' numbers, from 0 in the order in which they were added, in the order of their bytes. Equal strings stay as
  /// they were added.
  package func sorted() -> [Int] {
    var order: [Int] = []
    order.reserveCapacity(count)
    sort(ends.indices.map { Item(index: $0) }, behind: 0, into: &order)
    return order
  }

  /// A string, by the bytes that tell it from others that begin alike.
  private struct Item {
    let index: Int
    /// The next eight bytes as a number of the same order, as if zeros followed the last one.
    var rank: UInt64 = 0
    /// How many of the eight bytes there are.
    var length = 0

    static func < (left: Item, right: Item) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      return left.length != right.length ? left.length < right.length : left.index < right.index
    }
  }

  /// Appends the numbers of strings whose first `depth` bytes are the same, in their order.
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
        // The eight bytes don't tell these apart.
        sort(Array(items[start..<end]), behind: depth + 8, into: &order)
      } else {
        for item in items[start..<end] { order.append(item.index) }
      }
      start = end
    }
  }

  /// How many bytes behind the first `depth` ones are the same in all items.
  private func commonPrefix(of items: [Item], behind depth: Int) -> Int {
    guard let first = items.first else { return 0 }
    let bytes = bytes.span
    let beginning = bytes.extracting(rest(of: first.index, behind: depth))
    return items.dropFirst().reduce(beginning.count) { length, item in
      ByteOrder.commonPrefix(
        beginning.extracting(first: length), bytes.extracting(rest(of: item.index, behind: depth)))
    }
  }

  /// Where a string lies, without its first `depth` bytes.
  private func rest(of index: Int, behind depth: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1]) + depth..<ends[index]
  }
}
