import ArgumentParser
import Foundation
import NotesText
import TenonCore
import TenonFoundation

/// Keeps Markdown notes: the example app, which uses every product of Tenon.
@main
struct Notes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Notes",
    abstract: "Keeps Markdown notes and their attachments, searchable and live.",
    discussion: """
      The notes are in one directory: that of --data, otherwise $NOTES_HOME, otherwise $XDG_DATA_HOME/notes, otherwise \
      ~/.local/share/notes. TenonStore stores the documents, TenonStorage the attachments and TenonAuth the session; the \
      backend is embedded.

      With --emulator HOST:PORT, the notes are synchronized with other devices through Google's Firestore emulator or \
      tenon-server. Commands also work while the server can't be reached: changes wait on this device, and the next \
      command that reaches the server sends them. If two devices change the same note, the change that reaches the server \
      last remains. Google's emulator has no storage for attachments and for notes of more than 1 MiB; tenon-server has. \
      These notes are kept apart from those of the embedded backend.

        tenon-server --port 9099 --project notes --directory D
        Notes watch --data phone --emulator 127.0.0.1:9099
        Notes add "Green tea" --text "Three minutes." --data laptop --emulator 127.0.0.1:9099

      An import skips hidden files and folders (whose names begin with a dot) and symbolic links. Control \
      characters in titles and names are printed as escapes such as \\u{1B}.

      Exit codes: 0 success, 1 failure, 2 an import or export in which some files failed, 64 wrong usage, 130 interrupted \
      by Ctrl-C.
      """,
    version: Release.version,
    subcommands: [
      ImportCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, AddCommand.self,
      EditCommand.self, RemoveCommand.self, WatchCommand.self, SyncCommand.self, StatsCommand.self,
      GraphCommand.self, ExportCommand.self,
    ]
  )

  @OptionGroup var options: NotesOptions

  static func main() async {
    if let word = CommandLine.arguments.dropFirst().first, let problem = unknown(word) {
      Output.error("Error: \(problem)")
      Foundation.exit(64)
    }
    await main(nil)
  }

  /// Returns what is wrong with a first argument that is no command: ArgumentParser would take it for one of
  /// the options' values.
  private static func unknown(_ word: String) -> String? {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    guard !word.hasPrefix("-"), !names.contains(word), word != "help" else { return nil }
    let near = NearMisses.names(near: word, among: names)
    let question = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    return "There is no command \"\(word.visible)\".\(question) Notes --help lists all of them."
  }
}
