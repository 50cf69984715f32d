import ArgumentParser
import NotesText
import TenonStore

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Finds the notes that contain all of the terms, ignoring case."
  )

  @Argument(help: "The terms.")
  var terms: [String]

  @Flag(help: "Print one JSON object per note.")
  var json = false

  @OptionGroup var options: NotesOptions

  struct Item: Encodable {
    let path: String
    let title: String
    let snippet: String
  }

  func run() async throws {
    let terms = terms.map { $0.lowercased() }
    let found = try await NotesApp.run(options) { notes in
      var found = 0
      try await NotesApp.forEach(notes.notes) { document in
        let note = try document.data(as: Note.self)
        let text: String
        do { text = try await notes.text(of: note) } catch let error as MissingStorage {
          return Output.error("not searched: \(note.path.visible): \(error)")
        }
        let everything = ([note.title, text] + note.tags).joined(separator: "\n").lowercased()
        guard terms.allSatisfy(everything.contains) else { return }
        found += 1
        let snippet = Self.snippet(text, terms)
        if json {
          try Output.json(Item(path: note.path, title: note.title, snippet: snippet))
        } else {
          Output.line("\(note.path.visible)  \(Output.bold(note.title.visible))")
          if !snippet.isEmpty { Output.line("    \(snippet.visible)") }
        }
      }
      return found
    }
    if found == 0 { Output.error("no note contains \(terms.map(\.visible).joined(separator: " and "))") }
  }

  /// Returns the first line that contains one of the terms.
  static func snippet(_ text: String, _ terms: [String]) -> String {
    let line = text.split(whereSeparator: \.isNewline).first { line in
      let line = line.lowercased()
      return terms.contains { line.contains($0) }
    }
    return line.map { String($0.prefix(120)) } ?? ""
  }
}
