import Foundation
import TenonCore

/// The output of an integration executable.
struct Report: Decodable {
  let graph: ComponentGraph
  let facts: [String: String]

  init(_ result: Executable.Result) throws {
    self = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// Returns the products that provide a dependency of a component; `nil` if the component or the dependency
  /// doesn't exist.
  func providers(of need: String, for component: String) -> [String]? {
    graph.components.first { $0.name == component }?.needs.first { $0.name == need }?.providers
  }
}
