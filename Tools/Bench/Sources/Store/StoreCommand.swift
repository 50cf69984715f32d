import ArgumentParser
import Foundation

/// The command `store`: measures the document store.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Measures the document store beside SQLite and GRDB with the same notes.",
    discussion: """
      Contenders, each with a separate file; all commit as durably as Store does:

      sqlite: hand-written, one column a field, an index on the field that is queried. It is called on the caller's \
      thread, which blocks a thread of Swift's cooperative pool.

      sqlite-in-an-actor: the same in an actor on a dedicated queue, which blocks none. Store is built like that.

      sqlite-all-indexed: the same in an actor, but with an index on (field, id) for every field. It answers the \
      queries that Store answers without being told of them, in Store's order.

      grdb: a Codable record and a DatabasePool, by its asynchronous interface; an index on the field that is queried.

      grdb-all-indexed: the same with the indexes of sqlite-all-indexed.

      A ratio is Store's time divided by the contender's. The design allows 1.2 beside sqlite-in-an-actor, and 1 beside grdb; \
      what exceeds it is listed at the end. Below it are the same for the time of the processor, which depends less on what else \
      the machine does, for the statements of one operation, and for the pages of 4 KiB that it writes.

      import: one document of an import in batches of 500 into an empty database, whose query was run before; including the index \
      that it needs.

      disk: the size of the database and its log. insert: new notes. write: existing notes are replaced. update: one field.

      search: the 20 best of the texts that contain a word, from a text index, beside FTS5 in hand-written SQLite; search-insert: \
      batches of new texts.

      With --encryption, Store's files are encrypted, and store-in-clear is another contender: Store without encryption.

      written: the bytes that a write passes to the operating system, for the log and for what is moved from it into the file.

      deletion: one document of a collection that is deleted with all its documents; deletion-searchable: the same with a text \
      index, and what is done for it in the background afterwards.

      queued: Store's writes are also queued for a server; the contenders' are the same as before.
      """
  )

  @Flag(help: "Print one JSON array on standard output.")
  var json = false

  @Flag(help: "Also measure with 1,000,000 documents, which takes some minutes.")
  var large = false

  @Flag(help: "Encrypt Store's files, and compare it with Store without encryption, too.")
  var encryption = false

  @Option(help: "How often each measurement is repeated; the median is printed.")
  var repeats = 11

  @Option(help: "How many documents there are.")
  var documents = 100_000

  @Option(
    help:
      "Take only the measurements whose names begin with this: import, disk, insert, write, update, queued, read, page, count, sum, delivery, listen, memory, search, written, deletion, start."
  )
  var only = ""

  @Flag(help: "Measure only Store, so that a profiler sees nothing else.")
  var alone = false

  func validate() throws {
    guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
    guard documents >= 2_000 else {
      throw ValidationError("--documents must be at least 2,000, not \(documents).")
    }
  }

  func run() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-bench-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let comparison = Comparison(repeats: repeats, turn: .milliseconds(20))
    var measurements: [Measurement] = []
    for count in large ? [documents, 1_000_000] : [documents] {
      let bench = try await StoreBench(
        directory.appending(path: "\(count)"), documents: count, isEncrypted: encryption, isAlone: alone,
        comparison)
      measurements += try await bench.measure(only: only)
    }
    try Report.print(measurements, asJSON: json)
  }
}
