import Foundation
import TenonCore

/// The output of an integration executable.
struct Report: Decodable {
  /// What a feature does, for `Integration/MATRIX.md`.
  struct Feature: Decodable {
    let name: String
    let outcome: String
  }

  let graph: ComponentGraph
  let features: [Feature]
  let facts: [String: String]

  init(_ result: Executable.Result) throws {
    self = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
  }

  /// What a feature does; `nil` if the executable doesn't try it out.
  subscript(feature: String) -> String? { features.first { $0.name == feature }?.outcome }

  /// Returns the products that provide a dependency of a component; `nil` if the component or the dependency
  /// doesn't exist.
  func providers(of need: String, for component: String) -> [String]? {
    graph.components.first { $0.name == component }?.needs.first { $0.name == need }?.providers
  }
}
