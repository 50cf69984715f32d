import ArgumentParser

/// `tenon store`: looks into the file of a database, and moves documents in and out of it.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Looks into the file of a database of Store: its content, queries, queue and soundness.",
    discussion: """
      FILE is the database (default.sqlite, or db-ID.sqlite for the database ID), or a directory that contains one, such as that of \
      an app's data. Apps may have it open. --key-file names the file with the key of an encrypted one.

      Only import and queue --cancel write. All others change no file and create none, so they work on a read-only medium, too. \
      Nothing is migrated: a file of another version is refused.

      EXIT CODES
        0   success
        1   damage or a bad line was found, there is no such document, or the command failed
        64  wrong arguments
      """,
    subcommands: [
      StoreInfoCommand.self, StoreGetCommand.self, StoreQueryCommand.self, StoreExplainCommand.self,
      StoreExportCommand.self, StoreImportCommand.self, StoreCheckCommand.self, StoreQueueCommand.self,
    ])
}
