import ArgumentParser
import TenonCore

struct GraphCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Shows which products are linked, and which optional dependencies are present."
  )

  @Flag(help: "Print the graph as JSON.")
  var json = false

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let graph = try await NotesApp.run(options) { $0.app.graph }
    if json { try Output.json(graph) } else { Output.line(graph.description) }
  }
}
