// `sorted(by:)` is compiled again, in 3 KB of code, for each type and each comparison. Here the positions are
// sorted, so that one copy serves all.

extension Sequence {
  /// Returns the elements in an order, as `sorted(by:)` does, with little code and more time. For what isn't
  /// sorted often. Elements of which neither precedes the other keep their order.
  ///
  /// - Parameter precedes: returns whether the first of two elements belongs before the second.
  /// - Complexity: O(*n* log *n*).
  package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    let elements = Array(self)
    return positions(elements.indices) { precedes(elements[$0], elements[$1]) }.map { elements[$0] }
  }
}

extension Sequence where Element: Comparable {
  /// Returns the elements in ascending order, as `sorted()` does; see ``ordered(by:)``.
  ///
  /// - Complexity: O(*n* log *n*).
  package func ordered() -> [Element] { ordered { $0 < $1 } }
}

/// Returns positions in an order.
///
/// - Parameters:
///   - positions: the positions.
///   - precedes: returns whether the first of two numbers belongs before the second.
@inline(never) private func positions(_ positions: Range<Int>, by precedes: (Int, Int) -> Bool) -> [Int] {
  positions.sorted(by: precedes)
}
