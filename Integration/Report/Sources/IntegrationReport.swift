import Foundation
package import TenonCore

/// The output of an integration executable: the graph of its app and the outcome, as one JSON object.
package struct IntegrationReport: Codable, Sendable {
  /// The components that the executable links.
  package var graph: ComponentGraph
  /// The outcome, by name.
  package var facts: [String: String]

  package init(graph: ComponentGraph, facts: [String: String]) {
    self.graph = graph
    self.facts = facts
  }

  /// Writes the report to standard output.
  package func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(self) + Data("\n".utf8))
  }
}
