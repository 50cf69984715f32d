import TenonFoundation

/// What is linked into a program, and what is wrong with it.
package struct Inspection: Codable, Equatable, Sendable {
  /// A problem in the form in which it is written.
  package struct Problem: Codable, Equatable, Sendable {
    /// The number of the kind of problem, for example `TENON-102`.
    package var number: String
    /// What is wrong, in a sentence.
    package var message: String
    /// What to do about it, best first.
    package var repairs: [String]
    /// The file of the declaration, as `#fileID` has it; `nil` if no declaration is at fault.
    package var file: String?
    /// The line of the declaration.
    package var line: Int?
  }

  /// The graph, in which nothing has been created.
  package var graph: ComponentGraph
  /// Everything that would prevent an app with these libraries from being configured, except what depends on
  /// the options of the app. Empty if nothing would.
  package var problems: [Problem]

  /// Inspects libraries as `App.configure` would validate them, without an app. Creates nothing.
  ///
  /// - Parameters:
  ///   - libraries: the available libraries.
  ///   - names: the names of the libraries to activate; `nil` for all.
  init(of libraries: [any Library.Type], activating names: [String]? = nil) {
    var options = AppOptions(projectID: "inspection", backend: .production)
    options.libraries = names
    let selection = LibrarySelection(libraries, options)
    let validation = GraphValidation(selection.nodes)
    graph = validation.graph
    var found = selection.problems + validation.problems
    // As in an app, copies of Core aren't a problem by themselves, but may be the cause of others.
    if !found.isEmpty { found += [CoreImages.problem].compactMap { $0 } }
    problems =
      found.map(Problem.init)
      + selection.nodes.compactMap { node in
        node.definition.failure.map { Problem(node, validation.title(node), $0) }
      }
  }

  /// The inspection as JSON.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Plain strings and numbers, so this can't fail.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

extension Inspection.Problem {
  /// Describes a problem of a configuration.
  init(_ problem: ConfigurationError.Problem) {
    self.init(
      number: problem.code.number ?? problem.code.rawValue, message: problem.message,
      repairs: problem.repairs, file: problem.file, line: problem.line)
  }

  /// Describes what a source threw instead of its components.
  ///
  /// - Parameters:
  ///   - node: the component that stands for the source.
  ///   - library: the library that lists the source, as in messages.
  ///   - error: what the source threw.
  init(_ node: GraphNode, _ library: String, _ error: any Error) {
    let code = ComponentError.Code.creationFailed
    self.init(
      number: code.number ?? code.rawValue,
      message: "\(node.definition.key) of \(library) can't list its components: \(error)", repairs: [],
      file: node.definition.place.file.description, line: Int(clamping: node.definition.place.line))
  }
}
