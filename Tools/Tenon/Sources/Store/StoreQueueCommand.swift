import ArgumentParser
import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInspection
import TenonStoreInterop

/// `tenon store queue`: the writes that the remote hasn't confirmed.
struct StoreQueueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue",
    abstract:
      "Lists the pending and the rejected writes of all users with the IDs of their batches, or cancels one.",
    discussion: """
      Cancelling removes a batch from the queue and undoes its effect on this device. A batch that a process may have sent can't be \
      cancelled: stop that process, or cancel the batch in the app with Store.cancelQueuedWrite(_:).

      EXAMPLES
        tenon store queue default.sqlite
        tenon store queue default.sqlite --json
        tenon store queue default.sqlite --cancel 2F1C9E0A-5B7D-4C57-9C59-2F1DB2F4A6B1
      """)

  @OptionGroup var store: StoreFileOptions

  @Option(help: ArgumentHelp("The ID of a pending batch to cancel.", valueName: "id"))
  var cancel: String?

  @Flag(
    name: .customLong("json"),
    help: "Print the batches as a JSON array, with their writes as Firestore's protocol has them.")
  var asJSON = false

  func validate() throws {
    if let cancel, UUID(uuidString: cancel) == nil {
      throw ValidationError(
        "--cancel takes the ID of a batch, as `tenon store queue` prints it; \"\(cancel)\" isn't one.")
    }
  }

  func run() throws {
    if let id = cancel.flatMap(UUID.init) { return try cancel(id) }
    asJSON ? try printJSON() : try printText()
  }

  // MARK: - Cancelling

  private func cancel(_ id: UUID) throws {
    let editor = try store.editor()
    defer { editor.finish() }
    switch try describingErrors({ try editor.cancel(id) }) {
    case .cancelled: print("Cancelled \(id). Its effect on this device is undone.")
    case .unknown:
      throw CommandError(
        "There is no pending batch \(id): it was answered or cancelled, or never existed. Nothing was changed."
      )
    case .sent:
      throw CommandError(
        "\(id) may have reached the server, which hasn't answered yet. Nothing was changed; the app sends it again when it is "
          + "online, and receives the answer.")
    case .beingSent:
      let path = try StoreFileFinder.database(at: store.file)
      let sender =
        OpenProcesses.using(path)?.first(where: \.sends).map { "\($0.name) (\($0.pid))" } ?? "A process"
      throw CommandError(
        "\(sender) sends the writes of this database, and may have sent \(id). Nothing was changed; stop it and try again, or "
          + "cancel the batch in the app.")
    }
  }

  // MARK: - Listing

  private func printText() throws {
    try store.inspect { inspector in
      var counts = (pending: 0, rejected: 0)
      try inspector.forEachPending { batch in
        if batch.rejection == nil { counts.pending += 1 } else { counts.rejected += 1 }
        print(Self.text(batch))
      }
      print(
        "tenon store queue: \(StoreText.count(counts.pending, "pending batch", "pending batches")), "
          + "\(StoreText.number(counts.rejected)) rejected")
    }
  }

  private static func text(_ batch: StoreInspector.Pending) -> String {
    let state = batch.rejection == nil ? "pending" : "rejected"
    var lines = ["\(state) \(batch.id) \(batch.time), \(StoreText.user(batch.user))"]
    if let rejection = batch.rejection { lines.append("  \(rejection.code.rawValue): \(rejection.message)") }
    lines += batch.writes.prefix(10).map { "  \(verb($0)) \($0.document)" }
    if batch.writes.count > 10 {
      lines.append("  … and \(StoreText.count(batch.writes.count - 10, "more write"))")
    }
    return lines.joined(separator: "\n")
  }

  private static func verb(_ write: DocumentWrite) -> String {
    switch write.operation {
    case .set: "set"
    case .update: "update"
    case .delete: "delete"
    }
  }

  private func printJSON() throws {
    try store.inspect { inspector in
      print("[", terminator: "")
      var isFirst = true
      try inspector.forEachPending { batch in
        print(isFirst ? "" : ",")
        isFirst = false
        print(try Self.json(batch), terminator: "")
      }
      print(isFirst ? "]" : "\n]")
    }
  }

  private static func json(_ batch: StoreInspector.Pending) throws -> String {
    var writer = WireWriter(DatabaseName(project: DocumentLine.project))
    try writer.beginObject()
    writer.member("id", batch.id.uuidString)
    writer.member("state", batch.rejection == nil ? "pending" : "rejected")
    writer.member("user", batch.user)
    try writer.member("time", batch.time)
    try writer.member("writes", batch.writes)
    writer.member("code", batch.rejection?.code.rawValue)
    writer.member("message", batch.rejection?.message)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
