import ArgumentParser
import TenonCore

struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Shows which products are linked, and which optional dependencies are present."
  )

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, mermaid, dot
  }

  @Option(help: "How to print the graph: text, json, mermaid or dot.")
  var format = Format.text

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let graph = try await NotesApp.run(options) { $0.app.graph }
    switch format {
    case .text: Output.line(graph.description)
    case .json: try Output.json(graph)
    case .mermaid: Output.line(graph.mermaid)
    case .dot: Output.line(graph.dot)
    }
  }
}
