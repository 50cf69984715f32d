import ArgumentParser
import TenonStoreEngine
import TenonStoreInspection

/// `tenon store explain`: how a query is answered.
struct StoreExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Prints how a query is answered: with which indexes, and how many entries are read.",
    discussion: """
      The query is run to count the entries. An index that is missing isn't registered, as an app's query would.

      EXAMPLES
        tenon store explain default.sqlite notes --where 'rating >= 3' --order rating:desc
        tenon store explain default.sqlite notes --where 'author == ann' --json
      """)

  @OptionGroup var store: StoreFileOptions
  @OptionGroup var options: StoreQueryOptions

  @Flag(name: .customLong("json"), help: "Print the explanation as JSON.")
  var asJSON = false

  func run() throws {
    let query = try options.query()
    let explanation = try store.inspect { try $0.explain(query) }
    print(try asJSON ? StoreText.json(Report(explanation)) : explanation.description)
  }

  /// The explanation as JSON.
  private struct Report: Encodable {
    struct Missing: Encodable {
      let index: String
      let state: String
    }
    let index: String
    let indexes: [String]
    let missingIndexes: [Missing]
    let collections: Int
    let isOrdered: Bool
    let entriesRead: Int
    let results: Int

    init(_ explanation: QueryExplanation) {
      (index, indexes) = (explanation.index, explanation.indexes)
      missingIndexes = explanation.missingIndexes.map { missing in
        let state =
          switch missing.state {
          case .unregistered: "unregistered"
          case .building: "building"
          case .disabled: "disabled"
          case .tooMany: "too-many"
          }
        return Missing(index: missing.index.name, state: state)
      }
      (collections, isOrdered) = (explanation.collections, explanation.isOrdered)
      (entriesRead, results) = (explanation.entriesRead, explanation.results)
    }
  }
}
