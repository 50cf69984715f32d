import TenonBasics
package import TenonCore

/// The output of an integration executable, as one JSON object. `tenon-matrix` makes a row of
/// `Integration/MATRIX.md` from it.
package struct IntegrationReport: Codable, Sendable {
  /// The components that the executable links.
  package var graph: ComponentGraph
  /// What the features do in this combination of products, in the order of the table's columns.
  package var features: [Feature]
  /// Values that only tests read, by name. Unlike the features, they may differ from run to run.
  package var facts: [String: String]

  /// What a feature does in one combination of products.
  package struct Feature: Codable, Sendable {
    /// The feature, which has the same name in all combinations of a product.
    package var name: String
    /// What it does, in words that are the same in every run.
    package var outcome: String

    package init(_ name: String, _ outcome: String) {
      self.name = name
      self.outcome = outcome
    }
  }

  package init(graph: ComponentGraph, features: [Feature] = [], facts: [String: String] = [:]) {
    self.graph = graph
    self.features = features
    self.facts = facts
  }

  /// Writes the report to standard output.
  package func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
  }
}
