import ArgumentParser
import TenonStore

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Exchanges changes with the server of --emulator.",
    discussion: """
      Sends the changes that wait on this device, and receives all notes for use without the server. If the server can't be \
      reached, it is tried again for the time of --wait.
      """
  )

  @OptionGroup var options: NotesOptions

  func validate() throws {
    guard options.emulator != nil else {
      throw ValidationError("Name the server, for example: Notes sync --emulator 127.0.0.1:8080")
    }
  }

  func run() async throws {
    guard let address = options.emulator else { return }
    let server = SyncServer(address: address, limit: .seconds(options.wait))
    let end = ContinuousClock.now + server.limit
    while try await !server.isReachable(), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(500))
    }
    let result: (notes: Int, sent: Int)? = try await NotesApp.run(options) { notes in
      guard notes.isOnline else { return nil }
      let pending = try await server.pendingChanges(of: notes.store)
      try await server.send(from: notes.store)
      let count = try await notes.notes.getDocuments().count
      _ = try await notes.attachments.getDocuments()
      return (count, max(0, pending - (try await server.pendingChanges(of: notes.store))))
    }
    guard let result else { throw ExitCode.failure }
    Output.line("synchronized: notes \(result.notes), changes sent \(result.sent)")
  }
}
