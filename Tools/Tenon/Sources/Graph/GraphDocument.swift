import Foundation
import TenonCore

/// A graph with its problems and its name, as it is drawn.
struct GraphDocument {
  /// What the graph is of, for example the name of the executable.
  var title: String
  var graph: ComponentGraph
  /// What would prevent an app from being configured. The graph is drawn as far as it is known.
  var problems: [Inspection.Problem] = []

  /// Creates a document from the JSON of a graph, as `App.graph.json` has it, or of an inspection.
  ///
  /// - Parameters:
  ///   - json: the JSON.
  ///   - title: what the graph is of.
  /// - Throws: ``CommandError`` if it is neither.
  init(json: Data, title: String) throws {
    let decoder = JSONDecoder()
    if let inspection = try? decoder.decode(Inspection.self, from: json) {
      self.init(title: title, graph: inspection.graph, problems: inspection.problems)
    } else if let graph = try? decoder.decode(ComponentGraph.self, from: json) {
      self.init(title: title, graph: graph)
    } else {
      throw CommandError(
        "\(title) doesn't contain the JSON of a graph. Write App.graph.json to it, or pass an executable.")
    }
  }

  init(title: String, graph: ComponentGraph, problems: [Inspection.Problem] = []) {
    self.title = title
    self.graph = graph
    self.problems = problems
  }
}

/// The forms in which a graph is printed.
enum GraphFormat: String, CaseIterable {
  case text, mermaid, dot, json, html

  /// Returns a document in this form.
  func render(_ document: GraphDocument) throws -> String {
    switch self {
    case .text: document.text
    case .mermaid: document.graph.mermaid
    case .dot: document.graph.dot
    case .json: document.graph.json
    case .html: try GraphPage(document).html
    }
  }
}

extension GraphDocument {
  /// The text for a graph without components.
  static let emptyNote = "The graph has no components."

  /// The graph as text, followed by its longest path, the components that most others need, and the problems.
  var text: String {
    let analysis = GraphAnalysis(graph)
    var lines = [graph.description, graph.components.isEmpty ? Self.emptyNote : ""].filter { !$0.isEmpty }
    if analysis.longestPath.count > 1 {
      let names = analysis.longestPath.map { graph.components[$0].name }
      lines += ["", "Longest path (\(names.count)): \(names.joined(separator: " -> "))"]
    }
    let needed = analysis.mostNeeded.prefix(5).map {
      "\(graph.components[$0].name) (\(analysis.dependents[$0].count))"
    }
    if !needed.isEmpty { lines.append("Needed by most: \(needed.joined(separator: ", "))") }
    if !problems.isEmpty {
      lines += ["", "Problems:"]
      for problem in problems {
        lines.append("  \(problem.message) [\(problem.number)]")
        lines += problem.repairs.map { "    - \($0)" }
      }
    }
    return lines.joined(separator: "\n")
  }
}
