package import TenonBasics

extension JSONError {
  /// Returns the line and the column of the error as editors count them, from 1.
  ///
  /// A line ends at a line feed, a carriage return, or both together. Columns count characters; a byte order
  /// mark isn't one, and bytes that aren't UTF-8 are.
  ///
  /// - Parameter text: the text that was parsed.
  /// - Complexity: O(*n*) in the position of the error.
  package func place(in text: Data) -> (line: Int, column: Int) {
    // Checked: the position counts bytes, so it isn't negative.
    var read = String(decoding: text.prefix(position), as: UTF8.self)[...]
    if read.first == "\u{FEFF}" { read.removeFirst() }
    let lines = read.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
    return (lines.count, (lines.last?.count ?? 0) + 1)
  }
}
