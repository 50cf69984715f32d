import ArgumentParser

/// Keeps Markdown notes: the example app, which uses every product of Tenon.
@main
struct Notes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Notes",
    abstract: "Keeps Markdown notes and their attachments, searchable and live.",
    discussion: """
      Notes live in a directory of their own: --data, else $NOTES_HOME, else $XDG_DATA_HOME/notes, else \
      ~/.local/share/notes. Documents are kept by TenonStore, attachments by TenonStorage, the session by TenonAuth; \
      the backend is embedded.

      An import leaves out hidden files and folders (their names begin with a dot) and symbolic links. Control \
      characters in titles and names are printed as escapes such as \\u{1B}.

      Exit codes: 0 success, 1 failure, 2 an import or export in which some files failed, 64 wrong usage, 130 interrupted \
      with Ctrl-C.
      """,
    subcommands: [
      ImportCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, WatchCommand.self,
      StatsCommand.self,
      GraphCommand.self, ExportCommand.self,
    ]
  )
}
