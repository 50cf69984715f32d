extension App {
  /// Returns the graph of libraries without configuring an app.
  ///
  /// - Parameters:
  ///   - libraries: the libraries; the registered ones if `nil`.
  ///   - sources: additional components.
  /// - Throws: ``ConfigurationError`` with every problem; what a source throws.
  package static func graph(
    of libraries: [any Library.Type]?, sources: [any ComponentSource]
  ) throws -> ComponentGraph {
    let selection = LibrarySelection(
      libraries ?? LibraryRegistry.types, AppOptions(projectID: "graph", backend: .production))
    let further = try sources.flatMap { try $0.components }.map { GraphNode($0) }
    for case let failure? in (selection.nodes + further).map(\.definition.failure) { throw failure }
    let validation = GraphValidation(Decoration.bound(selection.nodes + further))
    let problems = selection.nameProblems + validation.problems
    guard problems.isEmpty else { throw ConfigurationError(problems) }
    return validation.graph
  }
}
