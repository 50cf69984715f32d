/// A place in the text of a rules file.
package struct SourcePlace: Sendable, Hashable {
  /// The number of UTF-8 bytes before it.
  package var offset: Int
  /// The line, counted from 1.
  package var line: Int
  /// The column, counted from 1 in UTF-16 units as Google's compiler does.
  package var column: Int

  /// Creates a place.
  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }
}

/// A part of the text of a rules file.
package struct SourceRange: Sendable, Hashable {
  /// Its first character.
  package var start: SourcePlace
  /// The place after its last character.
  package var end: SourcePlace

  /// Creates a range.
  package init(start: SourcePlace, end: SourcePlace) {
    self.start = start
    self.end = end
  }
}
