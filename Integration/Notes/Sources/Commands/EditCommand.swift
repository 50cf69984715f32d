import ArgumentParser
import Foundation
import NotesText
import TenonStore

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Changes the text of a note.",
    discussion: """
      The note is named as for "show". Its text is the whole file, with the heading that is its title.
      """
  )

  @Argument(help: "The note.")
  var note: String

  @Option(help: "The new text.")
  var text: String?

  @Option(help: "Lines to add at the end.")
  var append: String?

  @OptionGroup var options: NotesOptions

  func validate() throws {
    guard (text == nil) != (append == nil) else {
      throw ValidationError("Write the new text behind --text, or lines to add behind --append.")
    }
  }

  func run() async throws {
    let path = try await NotesApp.run(options) { notes in
      let note = try await notes.find(self.note)
      let new: String
      if let append {
        let old = try await notes.text(of: note)
        new = old + (old.isEmpty || old.hasSuffix("\n") ? "" : "\n") + append + "\n"
      } else {
        new = text ?? ""
      }
      let fields = try await notes.fields(of: Data(new.utf8), at: note.path)
      try await notes.notes.document(DocumentID.make(note.path)).setData(fields)
      return note.path
    }
    Output.line("changed \(path.visible)")
  }
}
