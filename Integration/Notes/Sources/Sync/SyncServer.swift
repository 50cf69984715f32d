import Foundation
import NotesText
import TenonStore
import TenonTransport
import TenonTransportInterop

/// The server of `--emulator`, with which the notes are synchronized: Google's Firestore emulator, or
/// `tenon-server`.
struct SyncServer: Sendable {
  let address: EmulatorAddress
  /// How long a command waits for the server.
  let limit: Duration

  /// Asks the server whether it has Firestore for the project of the notes.
  ///
  /// Store isn't used for that, because it would begin to send the pending writes, which a server of another
  /// project would refuse.
  ///
  /// - Returns: `false` if it can't be reached, so that this device works offline.
  /// - Throws: ``Failure`` if it can be reached, but isn't a server for the notes.
  func isReachable() async throws -> Bool {
    let path = "/v1/projects/\(NotesApp.projectID)/databases/(default)/documents/none?pageSize=1"
    let response: TransportResponse
    do { response = try await get(path) } catch is TransportError { return false }
    if response.status == 200 { return true }
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    guard let refusal = try? JSONDecoder().decode(Refusal.self, from: response.body) else {
      throw Failure(
        "The server at \(address) isn't a Firestore emulator: its response has status \(response.status). Check --emulator."
      )
    }
    throw Failure(
      """
      The server at \(address) refuses the project "\(NotesApp.projectID)": \(refusal.error.message.prefix(500)) Start it for \
      that project, for example with: tenon-server --project \(NotesApp.projectID)
      """)
  }

  var offlineReason: String { "no server can be reached at \(address)" }

  /// Prints that the server can't be reached.
  func reportOffline() {
    Output.error("offline: \(offlineReason); using the notes of this device")
  }

  /// Returns why contents can't be stored at the server; `nil` if they can. Attachments and the texts of long
  /// notes are no documents, and Google's emulator stores nothing else.
  func missingStorage() async -> String? {
    do {
      let path = "/v0/b/\(NotesApp.bucket)/o?maxResults=1"
      return try await get(path).status == 200
        ? nil : "the server at \(address) stores documents only; tenon-server also stores attachments"
    } catch { return offlineReason }
  }

  private func get(_ path: String) async throws -> TransportResponse {
    try await SystemTransport.shared.send(TransportRequest(.get, address.url(path), deadline: limit))
  }

  /// Returns the number of changes that the server hasn't answered.
  func pendingChanges(of store: Store) async throws -> Int {
    try await store.queuedWrites.reduce(0) { $0 + $1.writes.count }
  }

  /// Waits, for a limited time, until the server has answered the pending changes.
  func send(from store: Store) async throws {
    guard try await !store.queuedWrites.isEmpty else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await store.waitForPendingWrites() }
      group.addTask { [limit] in try await Task.sleep(for: limit) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Prints the number of pending writes, and the writes that the server has refused.
  ///
  /// - Parameters:
  ///   - store: the store with the changes.
  ///   - directory: where the text of a refused note is written, because the note on this device becomes that
  ///     of the server.
  /// - Throws: ``Refused`` if it has refused any.
  func reportChanges(of store: Store, keepingTextsIn directory: URL) async throws {
    let pending = try await pendingChanges(of: store)
    if pending > 0 {
      Output.error(
        "\(pending) \(pending == 1 ? "change waits" : "changes wait") for the server at \(address). The next command that "
          + "reaches it sends \(pending == 1 ? "it" : "them").")
    }
    let refused = try await store.rejectedWrites
    for refusal in refused {
      for write in refusal.writes {
        Output.error(
          "refused by the server: \(write.document.text.visible): \(refusal.error.message.visible)")
        if let file = try keepText(of: write, in: directory) {
          Output.error("the text is kept in \(file.path.visible)")
        }
      }
      try await store.dismissRejectedWrite(refusal.id)
    }
    if !refused.isEmpty { throw Refused() }
  }

  /// Writes the text of a note to a new file, and returns the file; `nil` if the write has no text.
  private func keepText(of write: DocumentWrite, in directory: URL) throws -> URL? {
    let fields: Fields
    switch write.operation {
    case .set(let all): fields = all
    case .update(let some, _): fields = some
    case .delete: return nil
    }
    guard let text = fields["text"]?.stringValue else { return nil }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appending(path: "\(UUID().uuidString).md")
    try Data(((fields["frontMatter"]?.stringValue ?? "") + text).utf8).write(to: file)
    return file
  }

  /// The server has refused writes, which were printed.
  struct Refused: Error {}
}
