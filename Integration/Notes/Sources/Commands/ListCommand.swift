import ArgumentParser
import NotesText
import TenonStore

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the notes by their paths."
  )

  @Option(help: "Only notes with this tag.")
  var tag: String?

  @Flag(help: "Print one JSON object per note.")
  var json = false

  @OptionGroup var options: NotesOptions

  struct Item: Encodable {
    let path: String
    let title: String
    let tags: [String]
  }

  func run() async throws {
    try await NotesApp.run(options) { notes in
      let query = tag.map { notes.notes.whereField("tags", arrayContains: $0) } ?? notes.notes.query
      try await NotesApp.forEach(query) { document in
        let note = try document.data(as: Note.self)
        if json {
          try Output.json(Item(path: note.path, title: note.title, tags: note.tags))
        } else {
          let tags = note.tags.map { " #\($0.visible)" }.joined()
          Output.line("\(note.path.visible)  \(Output.bold(note.title.visible))\(tags)")
        }
      }
    }
  }
}
