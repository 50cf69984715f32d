import NotesText

/// An error that the user can correct. It is shown without the command's usage, with exit code 1.
struct Failure: Error, CustomStringConvertible {
  let description: String

  /// - Parameter description: the text, which may contain names and titles: characters that a terminal would
  ///   interpret are escaped.
  init(_ description: String) { self.description = description.visibleLines }
}
