import ArgumentParser
import TenonDocuments
import TenonStoreEngine
import TenonStoreInspection
import TenonValues

/// `tenon store query`: the documents of a query.
struct StoreQueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Prints the documents of a query, in its order.",
    discussion: """
      Each document is on one line: its path and its fields, or with --json the JSON that export writes. The documents are those \
      of this device, as the current user sees them.

      EXAMPLES
        tenon store query default.sqlite notes --where 'rating >= 3' --order rating:desc --limit 10
        tenon store query default.sqlite messages --collection-group --where 'author == ann' --json
        tenon store query default.sqlite notes --where 'tags array-contains-any ["hot", "green"]'
      """)

  @OptionGroup var store: StoreFileOptions
  @OptionGroup var options: StoreQueryOptions

  @Flag(name: .customLong("json"), help: "Print each document as JSON, as export does.")
  var asJSON = false

  func run() throws {
    let query = try options.query()
    for document in try store.inspect({ try $0.documents(of: query) }) {
      let line = DocumentLine(document)
      print(
        try asJSON ? String(decoding: line.json(), as: UTF8.self) : "\(line.path)  \(Value.map(line.fields))")
    }
  }
}
