import ArgumentParser
import NotesText
import TenonStore

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Finds notes by the words in their titles, tags and texts, best match first.",
    discussion: """
      All words must occur, in any order. Case and accents are ignored.

        notes search green tea
        notes search '"green tea"'         the phrase
        notes search 'te*'                 words that begin so
        notes search tea OR coffee
        notes search tea NOT matcha
      """
  )

  @Argument(help: "The words and operators.")
  var terms: [String]

  @Option(help: ArgumentHelp("The maximum number of notes.", valueName: "number"))
  var limit = 20

  @Flag(help: "Print one JSON object per note. The words that were found are marked by ** in its snippet.")
  var json = false

  @OptionGroup var options: NotesOptions

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit \(limit) isn't a positive number.") }
  }

  struct Item: Encodable {
    let path: String
    let title: String
    let snippet: String
  }

  func run() async throws {
    let text = terms.joined(separator: " ")
    let found = try await NotesApp.run(options) { notes in
      let found = try await notes.notes.limit(to: limit).search(text).getDocuments()
      for match in found {
        let note = try match.document.data(as: Note.self)
        let snippet = match.snippets().first { $0.field == "text" }
        if json {
          try Output.json(Item(path: note.path, title: note.title, snippet: snippet?.marked("**") ?? ""))
        } else {
          Output.line("\(note.path.visible)  \(Output.bold(note.title.visible))")
          if let snippet { Output.line("    \(Self.visible(snippet))") }
        }
      }
      try await reportTextsInStorage(notes)
      return found.count
    }
    if found == 0 { Output.error("no note contains \(text.visible)") }
  }

  /// Returns an excerpt on one line, with its matches in bold.
  private static func visible(_ snippet: TextSnippet) -> String {
    var line = ""
    var position = snippet.text.startIndex
    func append(upTo end: String.Index) -> String {
      defer { position = end }
      return snippet.text[position..<end].split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .joined(separator: " ").visible
    }
    for match in snippet.matches {
      line += append(upTo: match.lowerBound)
      line += Output.bold(append(upTo: match.upperBound))
    }
    return line + append(upTo: snippet.text.endIndex)
  }

  /// Names the notes whose texts are too large for a document, so that they aren't searched.
  private func reportTextsInStorage(_ notes: NotesApp) async throws {
    let large = notes.notes.whereField("size", isGreaterThan: Note.smallSize)
    try await NotesApp.forEach(large) { document in
      let note = try document.data(as: Note.self)
      guard note.text == nil else { return }
      Output.error("\(note.path.visible): only the title and the tags are searched; the text is in Storage")
    }
  }
}
