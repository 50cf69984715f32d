import ArgumentParser
import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInspection
import TenonValues

/// `tenon store export`: the documents as JSON lines.
struct StoreExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes documents as JSON, one on each line.",
    discussion: """
      A line is {"name": "notes/tea", "fields": {…}} with the fields in Firestore's JSON form, createTime and updateTime, and \
      hasPendingWrites if the fields contain writes that the remote hasn't confirmed. All lines are from one moment, also if an app \
      is writing. The file has its name when it is complete, and replaces one that exists.

      EXAMPLES
        tenon store export default.sqlite --output notes.jsonl
        tenon store export default.sqlite --collection notes --collection rooms/den/messages | gzip > notes.jsonl.gz
      """)

  @OptionGroup var store: StoreFileOptions

  @Option(
    name: .customLong("collection"),
    help: ArgumentHelp(
      "A collection to export, without those below its documents; may be repeated. All collections by default.",
      valueName: "path"))
  var collections: [String] = []

  @Option(name: .shortAndLong, help: "The file to write; standard output by default.", completion: .file())
  var output: String?

  func validate() throws { _ = try paths() }

  func run() throws {
    let paths = try paths()
    if let output { try refuseDatabase(output) }
    var file = try LineFile(output)
    var progress = ProgressLine("Exporting")
    var count: Int64 = 0
    do {
      try store.inspect { inspector in
        let total = try inspector.documentCount(in: paths)
        // The name may be misspelled.
        for path in paths ?? [] where try inspector.documentCount(in: [path]) == 0 {
          Terminal.report("The collection \(path) has no documents on this device.")
        }
        var writer = WireWriter(DatabaseName(project: DocumentLine.project))
        try inspector.forEachDocument(in: paths) { document in
          writer.removeAll()
          try DocumentLine(document).write(to: &writer)
          try file.write(writer.bytes)
          count += 1
          progress.update(count, of: total)
        }
      }
      try file.finish()
    } catch {
      progress.end()
      file.discard()
      throw error
    }
    progress.end()
    Terminal.report("Exported \(StoreText.count(count, "document"))\(output.map { " to \($0)" } ?? "").")
  }

  /// The collections; `nil` for all of them.
  private func paths() throws -> [ResourcePath]? {
    do {
      return collections.isEmpty ? nil : try collections.map { try ResourcePath(collection: $0) }
    } catch let error as DocumentError { throw ValidationError(error.message) }
  }

  /// Checks that the output isn't a database, which it would replace.
  private func refuseDatabase(_ output: String) throws {
    guard let handle = FileHandle(forReadingAtPath: output) else { return }
    defer { try? handle.close() }
    let start = (try? handle.read(upToCount: 15)) ?? nil
    guard start != Data("SQLite format 3".utf8) else {
      throw CommandError("\(output) is a database. Name another file with --output.")
    }
  }
}
