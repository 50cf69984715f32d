import ArgumentParser
import Foundation
import NotesText
import TenonStore

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Adds a note.",
    discussion: "Prints its path, which is its title with the extension md."
  )

  @Argument(help: "The title.")
  var title: String

  @Option(help: "The text below the title, as Markdown.")
  var text = ""

  @OptionGroup var options: NotesOptions

  func validate() throws {
    guard title.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("The title is empty. Write one, for example: Notes add \"Green tea\"")
    }
  }

  func run() async throws {
    let title = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let path = Self.path(title)
    try await NotesApp.run(options) { notes in
      let reference = notes.notes.document(DocumentID.make(path))
      guard try await notes.known(reference) == nil else {
        throw Failure("There is a note \"\(path)\" already. Change it with: Notes edit \"\(path)\" --text …")
      }
      let content = "# \(title)\n" + (text.isEmpty ? "" : "\n\(text)\n")
      let fields = try await notes.fields(of: Data(content.utf8), at: path)
      // Not `setData`, which would replace the note that another device has added under the same path.
      try await reference.create(fields)
    }
    Output.line("added \(path.visible)")
  }

  /// Returns the path of a note in the top folder. A file whose name begins with a dot would be hidden.
  private static func path(_ title: String) -> String {
    let name = String(
      String.UnicodeScalarView(title.unicodeScalars.map { "/\0".unicodeScalars.contains($0) ? "-" : $0 }))
    return (name.hasPrefix(".") ? "-\(name.dropFirst())" : name) + ".md"
  }
}
