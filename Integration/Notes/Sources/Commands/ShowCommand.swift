import ArgumentParser
import Foundation
import TenonStorage
import TenonStore

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the text of a note.",
    discussion: """
      A note is named by its path, the beginning of its path, or its title. On a terminal, control characters are \
      printed as escapes; otherwise the text is printed unchanged.
      """
  )

  @Argument(help: "The note.")
  var note: String

  @Flag(help: "Print the note with all of its metadata as JSON.")
  var json = false

  @OptionGroup var options: NotesOptions

  func run() async throws {
    try await NotesApp.run(options) { notes in
      let note = try await notes.find(self.note)
      if json {
        try Output.json(note)
      } else {
        Output.text(try await notes.text(of: note))
      }
    }
  }
}

extension NotesApp {
  /// Returns the note that a user names by its path, or a part of it.
  func find(_ name: String) async throws -> Note {
    if let exact = try await known(notes.document(DocumentID.make(name))) {
      return try exact.data(as: Note.self)
    }
    let titled = try await notes.whereField("title", isEqualTo: name).limit(to: 2).getDocuments().documents
    let starting = try await notes.whereField("path", isGreaterThanOrEqualTo: name)
      .whereField("path", isLessThan: name + "\u{10FFFF}").limit(to: 2).getDocuments().documents
    let candidates = titled.isEmpty ? starting : titled
    switch candidates.count {
    case 1: return try candidates[0].data(as: Note.self)
    case 0: throw Failure("There is no note \"\(name)\". See: Notes list")
    default:
      let paths = candidates.compactMap { $0.fields["path"]?.stringValue }.joined(separator: ", ")
      throw Failure("\"\(name)\" matches \(paths) and others. Name one by its path.")
    }
  }

  /// Returns the text of a note, from Store or from Storage.
  ///
  /// - Throws: ``MissingStorage`` if it is in Storage and that can't be reached.
  func text(of note: Note) async throws -> String {
    if let text = note.text { return (note.frontMatter ?? "") + text }
    try await requireStorage()
    let content = try await storage.reference(withPath: Note.objectPath(note.path)).data(
      maxSize: Int64(note.size))
    return String(decoding: content, as: UTF8.self)
  }
}
