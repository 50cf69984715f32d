import ArgumentParser

/// Keeps Markdown notes: the example app that puts every product of Tenon to work.
@main
struct Notes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Notes",
    abstract: "Keeps Markdown notes and their attachments, searchable and live.",
    discussion: """
      Notes live in a directory of their own: --data, else $NOTES_HOME, else $XDG_DATA_HOME/notes, else \
      ~/.local/share/notes. Documents are kept by TenonStore, attachments by TenonStorage, the session by TenonAuth; \
      the backend is embedded.

      Exit codes: 0 success, 1 failure, 2 an import in which some files failed, 64 wrong usage.
      """,
    subcommands: [
      ImportCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, WatchCommand.self,
      StatsCommand.self,
      GraphCommand.self, ExportCommand.self,
    ]
  )
}
