import ArgumentParser
import NotesText
import TenonStore

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints the changes to notes, also those of other processes, until it is interrupted."
  )

  @Flag(help: "Print one JSON object per change.")
  var json = false

  @OptionGroup var options: NotesOptions

  struct Item: Encodable {
    let change: String
    let path: String
  }

  func run() async throws {
    try await NotesApp.run(options) { notes in
      let watching = Task { try await watch(notes) }
      let interruption = Interruption { watching.cancel() }
      defer { interruption.end() }
      try await watching.value
    }
  }

  private func watch(_ notes: NotesApp) async throws {
    let connection = notes.server.map { server in
      Task { try await reportConnection(to: server, notes) }
    }
    defer { connection?.cancel() }
    var isFirst = true
    for try await snapshot in notes.notes.snapshots {
      if isFirst {
        Output.error("watching \(snapshot.count) notes")
        isFirst = false
        continue
      }
      for change in snapshot.documentChanges {
        let path = change.document.fields["path"]?.stringValue ?? change.document.documentID
        if json {
          try Output.json(Item(change: "\(change.type)", path: path))
        } else {
          Output.line("\(change.type) \(path.visible)")
        }
      }
    }
  }

  /// Prints when the connection to the server is established or lost. It has its own listener, because
  /// changes of the metadata alone aren't changes of notes.
  private func reportConnection(to server: SyncServer, _ notes: NotesApp) async throws {
    var isConnected = false
    for try await snapshot in notes.notes.query.snapshots(includeMetadataChanges: true)
    where isConnected == snapshot.metadata.isFromCache {
      isConnected.toggle()
      Output.error(
        isConnected
          ? "connected to \(server.address)" : "offline: the connection to \(server.address) is lost")
    }
  }
}
