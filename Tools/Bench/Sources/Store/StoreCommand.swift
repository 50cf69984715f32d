import ArgumentParser
import Foundation

/// Measures the document store.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Measures the document store beside hand-written SQLite that does the same.",
    discussion: """
      sqlite is one table with a column a field and an index on the field that is queried, what an app would write for \
      itself; sqlite-all-indexed has an index on every field, as Store has. Both commit as durably as Store does. A ratio \
      of 1.43 is the limit that the design sets (0.7 of the speed).
      """
  )

  @Flag(help: "Print one JSON array on standard output.")
  var json = false

  @Flag(help: "Also measure with 1,000,000 documents, which takes some minutes.")
  var large = false

  @Option(help: "How often each measurement is repeated; the median is printed.")
  var repeats = 11

  @Option(help: "How many documents there are.")
  var documents = 100_000

  @Option(
    help:
      "Take only the measurements whose names begin with this: write, read, page, delivery, memory, start.")
  var only = ""

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
      let bench = try await StoreBench(directory.appending(path: "\(count)"), documents: count, comparison)
      measurements += try await bench.measure(only: only)
    }
    try Report.print(measurements, asJSON: json)
  }
}
