extension String {
  /// Returns the text without white space at its ends: the scalars with the Unicode property `White_Space`,
  /// which include line breaks.
  ///
  /// - Complexity: O(*n*).
  package var trimmed: String { trimmed { $0.properties.isWhitespace } }

  /// Returns the text without some scalars at its ends.
  ///
  /// ```swift
  /// "[::1]".trimmed { $0 == "[" || $0 == "]" }  // → "::1"
  /// ```
  ///
  /// - Parameter isRemoved: whether to remove a scalar at an end.
  /// - Complexity: O(*n*).
  package func trimmed(_ isRemoved: (Unicode.Scalar) -> Bool) -> String {
    var rest = unicodeScalars.drop(while: isRemoved)
    while let last = rest.last, isRemoved(last) { rest.removeLast() }
    return String(rest)
  }
}
