package import TenonFoundation

/// Compares strings and bytes as Firestore does: by UTF-8 bytes, which is the order of Unicode code points.
///
/// Swift's `==` and `<` on `String` aren't suitable because they treat canonically equivalent strings as
/// equal.
///
/// All documents that are read, written or sorted pass through these functions, so they compare eight bytes
/// at a time. No unsafe pointer outlives the call that receives it.
///
/// Swift strings are valid UTF-8, in which the order of the bytes is the order of the code points; the order
/// of UTF-16 code units, by which some other languages compare, differs beyond U+FFFF. All functions are pure
/// and can be called from any thread. On platforms where a `String` can be backed by a foreign object, such a
/// string is copied first.
package enum ByteOrder {
  /// Compares strings by their UTF-8 bytes; a prefix precedes longer strings.
  ///
  /// - Parameters:
  ///   - left: a string. Its normalization form matters: "é" as one code point and as "e" with a combining
  ///     accent differ.
  ///   - right: the string to compare with.
  /// - Returns: -1 if `left` comes first, 0 if both have the same bytes, otherwise 1.
  /// - Complexity: O(*n*) in the length of the common prefix.
  package static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  /// Compares bytes as unsigned numbers, lexicographically; a prefix precedes longer data. This is the order
  /// of SQLite's BLOBs (https://sqlite.org/datatype3.html, section 4.1), so index keys sort alike in memory
  /// and in a table.
  ///
  /// - Parameters:
  ///   - left: the bytes, of any length.
  ///   - right: the bytes to compare with.
  /// - Returns: -1 if `left` comes first, 0 if the bytes are equal, otherwise 1.
  /// - Complexity: O(*n*) in the length of the common prefix.
  package static func compare(_ left: Data, _ right: Data) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Compares bytes as unsigned numbers, lexicographically; a prefix precedes longer arrays.
  ///
  /// The order is that of `compare` for `Data`.
  ///
  /// - Returns: -1, 0 or 1.
  package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Compares borrowed bytes as unsigned numbers, lexicographically; a prefix precedes longer spans.
  ///
  /// - Returns: -1, 0 or 1.
  package static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
  }

  /// Finds a name by binary search.
  ///
  /// The invariant: the names of all entries before `low` are less than `name`, and those from `high` on are
  /// greater. If the name isn't found, `low` is therefore the index at which inserting it keeps the entries
  /// sorted.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - entries: entries sorted by the UTF-8 bytes of their unique names. For other entries the result is
  ///     unspecified.
  /// - Returns: the index of the entry with the name and `true`, or the index at which it would be inserted,
  ///   from 0 to the number of entries, and `false`.
  /// - Complexity: O(log *n*) comparisons of names in the number of entries.
  static func position(of name: String, in entries: [Fields.Entry]) -> (index: Int, isFound: Bool) {
    var name = name
    return name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      return entries.withUnsafeBufferPointer { entries in
        var (low, high) = (0, entries.count)
        while low < high {
          let middle = (low + high) / 2
          let order =
            entries[middle].name.utf8.withContiguousStorageIfAvailable {
              compare(UnsafeRawBufferPointer($0), name)
            } ?? compare(Data(entries[middle].name.utf8), Data(name))
          if order == 0 { return (middle, true) }
          if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
      }
    }
  }

  /// Returns the index of the entry with a name.
  ///
  /// Up to 16 entries are searched linearly, which is faster than a binary search for so few: many of them
  /// are excluded by the length of their names alone.
  ///
  /// - Parameters:
  ///   - name: the name, compared by its UTF-8 bytes.
  ///   - entries: entries sorted by the UTF-8 bytes of their unique names.
  /// - Returns: the index; `nil` if no entry has the name.
  /// - Complexity: O(log *n*) comparisons of names for more than 16 entries.
  static func index(of name: String, in entries: [Fields.Entry]) -> Int? {
    guard entries.count <= 16 else {
      let (index, isFound) = position(of: name, in: entries)
      return isFound ? index : nil
    }
    let length = name.utf8.count
    var name = name
    return name.withUTF8 { name in
      let name = UnsafeRawBufferPointer(name)
      return entries.withUnsafeBufferPointer { entries in
        entries.firstIndex { entry in
          entry.name.utf8.count == length
            && entry.name.utf8.withContiguousStorageIfAvailable {
              compare(UnsafeRawBufferPointer($0), name) == 0
            } ?? entry.name.utf8.elementsEqual(name)
        }
      }
    }
  }

  /// Compares two buffers lexicographically, eight bytes at a time.
  ///
  /// Differing words are compared as big-endian numbers, in which the first byte in memory is the most
  /// significant, so the first differing byte decides. Bytes that don't fill a word are compared one at a
  /// time, and the lengths last.
  ///
  /// - Returns: -1, 0 or 1, as the functions above do.
  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    var position = 0
    while count - position >= 8 {
      let first = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let second = right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      if first != second { return UInt64(bigEndian: first) < UInt64(bigEndian: second) ? -1 : 1 }
      position += 8
    }
    while position < count {
      if left[position] != right[position] { return left[position] < right[position] ? -1 : 1 }
      position += 1
    }
    return left.count == right.count ? 0 : (left.count < right.count ? -1 : 1)
  }
}
