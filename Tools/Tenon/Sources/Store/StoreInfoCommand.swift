import ArgumentParser
import Foundation
import TenonStoreEngine
import TenonStoreInspection

/// `tenon store info`: what a database contains.
struct StoreInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Prints what a database contains: collections, indexes, queues, pins, and who has it open.",
    discussion: """
      Sizes are those of the encoded documents and index entries; the file has free space and SQLite's own pages besides. The \
      processes are those that this user may see, on Linux.

      EXAMPLES
        tenon store info ~/.local/share/notes
        tenon store info default.sqlite --json
      """)

  @OptionGroup var store: StoreFileOptions

  @Flag(name: .customLong("json"), help: "Print the result as JSON.")
  var asJSON = false

  func run() throws {
    let report = try store.inspect { StoreInfoReport(try $0.summary(), path: $0.path) }
    print(try asJSON ? StoreText.json(report) : report.text)
  }
}
