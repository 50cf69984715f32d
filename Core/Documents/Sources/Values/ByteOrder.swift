/// Compares text as Firestore does: by its UTF-8 bytes, which is the order of Unicode code points. Swift's own `==`
/// and `<` hold canonically equivalent strings for equal.
package enum ByteOrder {
  package static func compare(_ left: String, _ right: String) -> Int {
    // Strings that Swift has made have their bytes in a row.
    left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { compare(left, $0) }
    }.flatMap { $0 } ?? compare(left.utf8, right.utf8)
  }

  static func compare<Left: Sequence<UInt8>, Right: Sequence<UInt8>>(_ left: Left, _ right: Right) -> Int {
    var left = left.makeIterator()
    var right = right.makeIterator()
    while true {
      switch (left.next(), right.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let a?, let b?) where a != b: return a < b ? -1 : 1
      default: continue
      }
    }
  }

  static func areEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && compare(left, right) == 0
  }
}
