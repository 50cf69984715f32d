package import TenonValues

extension FieldPath {
  /// Whether this path equals another one or leads to a map that contains it.
  ///
  /// A path without names is a prefix of every path.
  ///
  /// - Parameter other: the path that may be below this one.
  package func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && segments.elementsEqual(other.segments.prefix(segments.count), by: UTF8Text.areEqual)
  }

  /// Compares two paths name by name, by UTF-8 bytes; a prefix precedes longer paths. Implicit orders are
  /// sorted this way.
  ///
  /// - Parameter other: the path to compare with.
  /// - Returns: a negative number, 0 or a positive number.
  package func compare(_ other: FieldPath) -> Int {
    for (left, right) in zip(segments, other.segments) {
      let order = ByteOrder.compare(left, right)
      if order != 0 { return order }
    }
    return segments.count == other.segments.count ? 0 : (segments.count < other.segments.count ? -1 : 1)
  }
}
