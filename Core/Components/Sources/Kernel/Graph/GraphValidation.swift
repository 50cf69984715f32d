/// Validates a graph before anything is created: finds every problem (R1, R2), or the order in which to build the graph.
///
/// Complexity: O(*n*) in the number of components and needs if there are no problems.
struct GraphValidation {
  /// The components of the graph.
  let nodes: [GraphNode]
  /// The parent's graph, which is valid; `nil` without a parent. It provides what a child's components need and the child
  /// doesn't provide, and the instance that a component decorates.
  let base: Wiring?
  /// The node that serves each key; the first one if there are several.
  private(set) var providers: [ComponentKey: Int] = [:]
  /// The keys that several nodes serve.
  private var duplicates: [(key: ComponentKey, nodes: [Int])] = []
  /// The nodes that contribute to each key.
  private(set) var contributors: [ComponentKey: [Int]] = [:]
  /// What is wrong with the graph, in the order in which it was found.
  var problems: [ConfigurationError.Problem] = []
  /// The nodes, each after everything that it needs; complete only if there are no problems.
  var order: [Int] = []

  /// Validates a graph.
  ///
  /// - Parameters:
  ///   - nodes: the components, in order of declaration.
  ///   - base: the parent's graph.
  init(_ nodes: [GraphNode], over base: Wiring? = nil) {
    self.nodes = nodes
    self.base = base
    collectKeys()
    problems += badNames + badScopes + duplicateKeys + missingDependencies
    problems += Features.argumentProblems(in: self)
    findOrder()
  }

  /// Fills `providers`, `contributors` and `duplicates`.
  private mutating func collectKeys() {
    providers.reserveCapacity(nodes.count)
    var places: [ComponentKey: Int] = [:]
    // By index: copying a node retains everything that it refers to.
    for index in nodes.indices {
      for key in nodes[index].servedKeys {
        guard let first = providers.updateValue(index, forKey: key) else { continue }
        providers[key] = first
        if let place = places[key] {
          duplicates[place].nodes.append(index)
        } else {
          places[key] = duplicates.count
          duplicates.append((key, [first, index]))
        }
      }
      for key in nodes[index].definition.contributions { contributors[key, default: []].append(index) }
    }
  }

  /// Returns the node that serves a key to a component; `nil` if the parent's graph does, or nothing.
  ///
  /// A component that needs the key it provides receives the parent's instance.
  ///
  /// - Parameters:
  ///   - key: the key that is needed.
  ///   - node: the component that needs it.
  func provider(of key: ComponentKey, for node: Int) -> Int? {
    guard let provider = providers[key], provider == node, base?.slot(key) != nil else {
      return providers[key]
    }
    return nil
  }

  // MARK: - Single components

  /// Names of keys with characters that aren't allowed.
  private var badNames: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].definition
      // Most components have no name.
      guard definition.servedKeys.contains(where: { $0.name != nil }) || !definition.contributions.isEmpty
      else {
        return []
      }
      return (definition.servedKeys + definition.contributions).compactMap { key in
        guard let name = key.name, !Self.isName(name) else { return nil }
        return problem(
          .badName,
          "\(key) of \(title(index)) has a bad name.",
          repairs: ["Use letters, digits, \".\", \"-\" and \"_\"."],
          at: [index]
        )
      }
    }
  }

  /// Timings and actions that require an instance to be kept, on scopes that keep none.
  private var badScopes: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].definition
      guard !definition.scope.isShared else { return [] }
      let misplaced = [
        (definition.timing != .lazy, "is \(definition.timing)", ".timing(…)"),
        (definition.hasStart, "has an onStart action", ".onStart"),
        (definition.hasDeletion, "has an onDelete action", ".onDelete"),
        (!definition.resetTriggers.isEmpty, "is reset by an event", ".reset(…)"),
      ]
      return misplaced.filter(\.0).map { _, what, modifier in
        problem(
          .timing,
          "\(definition.key) of \(title(index)) \(what), but its scope .\(definition.scope) keeps no instance.",
          repairs: ["Use the scope .shared, or remove \(modifier)."],
          at: [index]
        )
      }
    }
  }

  /// Returns whether a text is a valid name: one or more letters, digits, `.`, `-` and `_`, in any script.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        // ASCII first: looking up Unicode properties is slow.
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
      }
  }

  // MARK: - Keys

  /// Keys that several components serve, or one component twice (R1). Each key is one problem, however many components serve
  /// it.
  private var duplicateKeys: [ConfigurationError.Problem] {
    duplicates.map { key, all in
      if Set(all).count == 1 {
        return problem(
          .duplicateKey,
          "\(title(all[0])) provides \(key) twice.",
          repairs: ["Remove one .providing(\(key.reference))."],
          at: [all[0]]
        )
      }
      let titles = all.map(title)
      let providers =
        Set(titles).count == 1
        ? "\(titles.count) components of \(titles[0])" : titles.joined(separator: " and ")
      return problem(
        .duplicateKey,
        "\(key) is provided by \(providers).",
        repairs: [
          "Link one of them only.", "Give one a name with .named(…).",
          "Declare them with .contributing() if all of them are meant, and need .all(\(key.reference)).",
        ],
        at: all
      )
    }
  }

  /// Needs that nothing in this graph or the parent's meets (R2). Suggestions are computed once, and only if there are
  /// problems.
  private var missingDependencies: [ConfigurationError.Problem] {
    var hints: ((ComponentKey) -> [String])?
    return nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      nodes[index].needs.compactMap { need -> ConfigurationError.Problem? in
        guard need.kind.isDemanded, providers[need.key] == nil, base?.slot(need.key) == nil else {
          return nil
        }
        let suggest = hints ?? Features.hints(among: Set(nodes.flatMap(\.servedKeys)).union(base?.keys ?? []))
        hints = suggest
        return problem(
          .missingDependency,
          "\(nodes[index].definition.key) of \(title(index)) needs \(need.key), which nothing provides.",
          repairs: suggest(need.key)
            + (need.optionalForm.map { ["Declare the need as \($0) if it can do without."] } ?? []),
          at: [index]
        )
      }
    }
  }

  // MARK: - Words

  /// Returns a problem with the part of the graph that it concerns.
  ///
  /// - Parameters:
  ///   - code: the kind of problem.
  ///   - message: what is wrong, in a sentence.
  ///   - repairs: what to do about it, best first.
  ///   - members: the nodes that it concerns.
  func problem(
    _ code: ConfigurationError.Code, _ message: String, repairs: [String], at members: [Int]
  ) -> ConfigurationError.Problem {
    .init(code, message, repairs: repairs, graph: graph(of: members))
  }

  /// The library of a node with its version, for messages.
  func title(_ index: Int) -> String { title(nodes[index]) }

  /// The library of a node with its version, for messages; `the container` if no library declares it.
  func title(_ node: GraphNode) -> String {
    node.library.map { "\($0.name) \($0.version)" } ?? "the container"
  }

  /// The whole graph as data.
  var graph: ComponentGraph { graph(of: Array(nodes.indices)) }

  /// Returns a part of the graph as data.
  ///
  /// - Parameter members: the nodes to include.
  private func graph(of members: [Int]) -> ComponentGraph {
    ComponentGraph(
      members.map { nodes[$0] },
      providers: { key in
        let inherited = base?.slot(key)?.component.key
        return (providers[key].map { nodes[$0].definition.key } ?? inherited).map { [$0] } ?? []
      },
      contributors: { key in
        let replaced = Set(nodes.compactMap(\.origin).map { ObjectIdentifier($0) })
        let inherited = base?.contributions(to: key).map(\.component).filter {
          !replaced.contains(ObjectIdentifier($0))
        }
        return (inherited ?? []).map(\.key)
          + (contributors[key] ?? []).map { nodes[$0].definition.key }
      }
    )
  }
}
