import TenonBasics

/// What is linked into a program, and what is wrong with it.
package struct Inspection: Equatable, Sendable {
  /// A problem in the form in which it is written.
  package struct Problem: Equatable, Sendable {
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
    /// The type of the library at fault, with its module, for example `Shop.ShopLibrary`.
    package var type: String?
  }

  /// A library that requires options.
  package struct Requirement: Equatable, Sendable {
    /// The library's name.
    package var library: String
    /// The names of the options, as ``AppOptions`` has them.
    package var options: [String]

    package init(library: String, options: [String]) {
      self.library = library
      self.options = options
    }
  }

  /// The graph, in which nothing has been created.
  package var graph: ComponentGraph
  /// Everything that would prevent an app with these libraries from being configured. What depends on the
  /// options of the app is included if they are known. Empty if nothing would.
  package var problems: [Problem]
  /// What is valid, but probably not meant.
  package var warnings: [Problem]
  /// What the libraries require of an app in production, if its options aren't known; otherwise empty.
  package var requirements: [Requirement]

  /// Inspects libraries as `App.configure` would validate them, without an app. Creates nothing.
  ///
  /// - Parameters:
  ///   - libraries: the available libraries.
  ///   - names: the names of the libraries to activate; `nil` for those of the options, or all.
  ///   - options: the options of the app; `nil` if they aren't known.
  ///   - problemsOfOptions: what is wrong with a source of options, for which they aren't known.
  ///   - components: the components that belong to no library.
  ///   - unregistered: the types of the libraries that are linked without having registered, with their
  ///     modules. They are a problem unless libraries are selected.
  init(
    of libraries: [any Library.Type], activating names: [String]? = nil, with options: AppOptions? = nil,
    problemsOfOptions: [ConfigurationError.Problem] = [], components: [AnyComponent] = [],
    unregistered: [String] = []
  ) {
    var known = options ?? AppOptions(projectID: nil)
    if let names { known.libraries = names }
    let selection = LibrarySelection(libraries, known)
    let validation = GraphValidation(
      Decoration.bound(selection.nodes + components.map { GraphNode($0) }))
    graph = validation.graph
    var found = problemsOfOptions + (options?.problems(in: .code) ?? []) + selection.problems
    if options != nil { found += selection.missingOptions }
    found += validation.problems
    // As in an app, copies of Core aren't a problem by themselves, but may be the cause of others.
    if !found.isEmpty { found += [CoreImages.problem].compactMap { $0 } }
    problems =
      found.map { Problem($0) }
      + selection.nodes.compactMap { node in
        node.definition.failure.map { Problem(node, validation.title(node), $0) }
      }
    if known.libraries == nil { problems += unregistered.map(Problem.unregistered) }
    warnings = validation.misspeltNeeds
    requirements =
      options != nil
      ? []
      : selection.libraries.compactMap { library in
        let required = library.requiredOptions(with: known).map(\.rawValue)
        return required.isEmpty ? nil : Requirement(library: library.name, options: required)
      }
  }

  /// The result for a program whose components or options can't be created.
  init(failed error: any Error) {
    graph = .empty
    problems =
      (error as? ConfigurationError)?.problems.map { Problem($0) }
      ?? [
        Problem(
          number: "not-inspected", message: "What is passed to App.configure can't be created: \(error)",
          repairs: [])
      ]
    (warnings, requirements) = ([], [])
  }

  /// The inspection as JSON.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Plain strings and numbers, so this can't fail.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

extension GraphValidation {
  /// The optional needs that nothing meets although the name of something that is provided is nearly the
  /// same, so that they may be misspelt.
  ///
  /// - Complexity: O(*m* · *n*) comparisons of names in the numbers of such needs and of keys.
  fileprivate var misspeltNeeds: [Inspection.Problem] {
    nodes.flatMap { node in
      node.needs.compactMap { need -> Inspection.Problem? in
        guard !need.kind.isDemanded, !need.kind.takesContributions, providers[need.key] == nil else {
          return nil
        }
        let near = providers.keys.filter { $0.isNearly(need.key) }.map(\.description).ordered()
        guard !near.isEmpty else { return nil }
        return Inspection.Problem(
          number: "optional-need",
          message:
            "\(node.definition.key) of \(title(node)) optionally needs \(need.key), which nothing provides.",
          repairs: near.prefix(3).map { "There is \($0)." },
          file: node.definition.place.file.description, line: Int(clamping: node.definition.place.line))
      }
    }
  }
}

extension ComponentKey {
  /// Returns whether another key differs by a slip: by at most one edit for each five characters of the type
  /// or of the name, and not by both.
  fileprivate func isNearly(_ other: ComponentKey) -> Bool {
    if type == other.type { return Self.isNearly(name ?? "", other.name ?? "") }
    return name == other.name && Self.isNearly(typeName, other.typeName)
  }

  private static func isNearly(_ one: String, _ other: String) -> Bool {
    // Numbered names are different ones.
    guard one.filter({ !$0.isNumber }) != other.filter({ !$0.isNumber }) else { return false }
    let limit = max(one.count, other.count) / 5
    return NearMisses.distance(one.lowercased(), other.lowercased(), within: limit) != nil
  }
}

extension Inspection.Problem {
  /// Describes a library that is linked and hasn't registered.
  ///
  /// - Parameter type: the library's type, with its module.
  static func unregistered(_ type: String) -> Self {
    Self(
      number: "unregistered-library", message: "The library \(type) is linked, but it hasn't registered.",
      repairs: [
        "Declare its registration as the documentation of Library shows.",
        "If the program lists its libraries in App.configure(libraries:), check it with --at-configure.",
      ],
      type: type)
  }

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
