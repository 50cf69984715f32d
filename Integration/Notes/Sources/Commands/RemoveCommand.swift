import ArgumentParser
import NotesText
import TenonStorage
import TenonStore

struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Removes a note.",
    discussion: "The note is named as for \"show\"."
  )

  @Argument(help: "The note.")
  var note: String

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let path = try await NotesApp.run(options) { notes in
      let note = try await notes.find(self.note)
      if note.text == nil { try await notes.requireStorage() }
      // The document first, so that it doesn't refer to an object that doesn't exist.
      try await notes.notes.document(DocumentID.make(note.path)).delete()
      if note.text == nil {
        try await notes.storage.reference(withPath: Note.objectPath(note.path)).delete()
      }
      return note.path
    }
    Output.line("removed \(path.visible)")
  }
}
