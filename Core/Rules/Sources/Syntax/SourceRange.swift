/// A place in the text of a rules file.
package struct SourcePlace: Sendable, Hashable {
  /// The number of UTF-8 bytes before it.
  package var offset: Int
  /// The line, counted from 1.
  package var line: Int
  /// The column, counted from 1 in Unicode scalars, as Google's compiler counts.
  package var column: Int

  /// Creates a place.
  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The first place of a file.
  package static var start: SourcePlace { SourcePlace(offset: 0, line: 1, column: 1) }
}

/// A part of the text of a rules file.
package struct SourceRange: Sendable, Hashable {
  /// The place of its first character.
  package var start: SourcePlace
  /// The number of UTF-8 bytes before its end.
  ///
  /// As in Google's coverage reports, closing brackets don't belong to an expression: `f(a)` ends with `a`.
  package var end: Int

  /// Creates a range.
  package init(start: SourcePlace, end: Int) {
    self.start = start
    self.end = end
  }
}
