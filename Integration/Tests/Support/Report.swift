import Foundation
import TenonCore

/// What an integration executable printed.
struct Report: Decodable {
  let graph: ComponentGraph
  let facts: [String: String]

  init(_ result: Executable.Result) throws {
    self = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// The products that meet a need of a component; `nil` when the component or the need isn't there.
  func providers(of need: String, for component: String) -> [String]? {
    graph.components.first { $0.name == component }?.needs.first { $0.name == need }?.providers
  }
}
