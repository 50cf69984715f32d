import ArgumentParser

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

      An import skips hidden files and folders (whose names begin with a dot) and symbolic links. Control \
      characters in titles and names are printed as escapes such as \\u{1B}.

      Exit codes: 0 success, 1 failure, 2 an import or export in which some files failed, 64 wrong usage, 130 interrupted \
      by Ctrl-C.
      """,
    subcommands: [
      ImportCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, WatchCommand.self,
      StatsCommand.self,
      GraphCommand.self, ExportCommand.self,
    ]
  )
}
