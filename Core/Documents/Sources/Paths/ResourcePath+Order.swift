package import TenonValues

extension ResourcePath {
  /// Whether another path is that of a direct child of this one. The IDs are compared from the last to the
  /// first, because the paths of documents usually differ near their ends.
  ///
  /// - Parameter other: the path that may be one ID longer.
  package func isParent(of other: ResourcePath) -> Bool {
    other.segments.count == segments.count + 1
      && segments.indices.reversed().allSatisfy { UTF8Text.areEqual(segments[$0], other.segments[$0]) }
  }

  /// Compares two paths ID by ID, in Firestore's order.
  ///
  /// Numeric IDs (`__id123__`) precede all others and are ordered by their numbers; the others are ordered by
  /// their UTF-8 bytes. A path precedes the paths below it.
  ///
  /// - Parameter other: the path to compare with.
  /// - Returns: a negative number if this path comes first, 0 if the paths are equal, otherwise a positive
  ///   number.
  /// - Complexity: O(*n*) in the length of the common prefix.
  package func compare(_ other: ResourcePath) -> Int {
    for (left, right) in zip(segments, other.segments) {
      let order = Self.compare(left, right)
      if order != 0 { return order }
    }
    return segments.count == other.segments.count ? 0 : (segments.count < other.segments.count ? -1 : 1)
  }

  /// Compares two IDs: numeric ones first and by their numbers, others by their UTF-8 bytes.
  ///
  /// - Returns: a negative number, 0 or a positive number. It is 0 only for IDs with the same bytes, because
  ///   each number has a single spelling.
  private static func compare(_ left: String, _ right: String) -> Int {
    switch (numericID(left), numericID(right)) {
    case (let left?, let right?): left == right ? 0 : (left < right ? -1 : 1)
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): ByteOrder.compare(left, right)
    }
  }
}
