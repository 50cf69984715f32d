import ArgumentParser
import TenonDocuments
import TenonStoreEngine
import TenonStoreInspection
import TenonValues

/// `tenon store get`: one document.
struct StoreGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract:
      "Prints a document: its fields in Firestore's JSON form, its times, and whether writes are pending.",
    discussion: """
      The document is the one that the current user sees, with pending writes applied. Exit code 1 if there is none.

      EXAMPLES
        tenon store get default.sqlite notes/tea
        tenon store get default.sqlite notes/tea --json
      """)

  @OptionGroup var store: StoreFileOptions

  @Argument(help: "The path of the document, for example notes/tea.")
  var path: String

  @Flag(name: .customLong("json"), help: "Print the document on one line, as export does.")
  var asJSON = false

  func validate() throws { _ = try document() }

  func run() throws {
    let path = try document()
    let line = try store.inspect { try $0.document(path).map { try DocumentLine($0).json() } }
    guard let line else { throw CommandError("There is no document \(path) in \(store.file).") }
    print(asJSON ? String(decoding: line, as: UTF8.self) : StoreText.indented(line))
  }

  private func document() throws -> ResourcePath {
    do { return try ResourcePath(document: path) } catch { throw ValidationError(error.message) }
  }
}
