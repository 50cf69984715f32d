import NotesText

/// Something that a user can put right; shown without the command's usage, with exit code 1.
struct Failure: Error, CustomStringConvertible {
  let description: String

  /// - Parameter description: may hold names and titles: what a terminal would act upon is escaped.
  init(_ description: String) { self.description = description.visibleLines }
}
