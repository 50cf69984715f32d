/// A component on its way into a graph.
struct GraphNode {
  let owned: OwnedDefinition
  /// The keys under which it will be served.
  var servedKeys: [ComponentKey]
  /// The component as it stands already, here or in the parent; `nil` for a new one.
  var standing: Wiring.Member?
  /// Further names for a new component.
  var automaticAliases: [ComponentKey] = []
  /// The parent's component that it stands for in a child.
  var origin: InstalledComponent?
  /// Whether it stays the parent's: this container only hands it out.
  var isInherited = false
  /// Whether it is the parent's, or stands for one of the parent's.
  var isParents: Bool { isInherited || origin != nil }
  /// Why it may not be created, in a container that refuses what a test did not override.
  var refusal: WiringBuilder.Refusal?

  /// What must be there before it is created. What is refused needs nothing.
  var needs: [Need] { refusal == nil ? owned.definition.needs : [] }
}

/// Checks a graph before anything is created: finds every problem (R1, R2), or the order in which to build it.
struct GraphValidation {
  let nodes: [GraphNode]
  /// Keys that a component may need although it provides them itself: a child's own component then gets the parent's.
  let inheritedKeys: Set<ComponentKey>
  private(set) var providers: [ComponentKey: Int] = [:]
  private var duplicates: [(key: ComponentKey, nodes: [Int])] = []
  private(set) var contributors: [ComponentKey: [Int]] = [:]
  var problems: [ConfigurationError.Problem] = []
  /// The nodes, each after everything that it needs; whole only without problems.
  var order: [Int] = []

  init(_ nodes: [GraphNode], inheritedKeys: Set<ComponentKey> = []) {
    self.nodes = nodes
    self.inheritedKeys = inheritedKeys
    collectKeys()
    problems += badNames + badScopes + duplicateKeys + missingDependencies + badArguments
    findOrder()
  }

  private mutating func collectKeys() {
    providers.reserveCapacity(nodes.count)
    var places: [ComponentKey: Int] = [:]
    // By index: copying a node counts up what it refers to.
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
      for key in nodes[index].owned.definition.contributions { contributors[key, default: []].append(index) }
    }
  }

  // MARK: - Single components

  private var badNames: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].owned.definition
      // Most have none.
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

  /// Timings and actions that a scope gives no occasion for.
  private var badScopes: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].owned.definition
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

  static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        // ASCII first: the tables of Unicode properties are slow.
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
      }
  }

  // MARK: - Keys

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

  private var missingDependencies: [ConfigurationError.Problem] {
    var nearMisses: NearMisses?
    return nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      nodes[index].needs.compactMap { need -> ConfigurationError.Problem? in
        guard need.kind.isDemanded, providers[need.key] == nil, !inheritedKeys.contains(need.key) else {
          return nil
        }
        let near = nearMisses ?? NearMisses(nodes.lazy.flatMap(\.servedKeys))
        nearMisses = near
        return problem(
          .missingDependency,
          "\(nodes[index].owned.definition.key) of \(title(index)) needs \(need.key), which nothing provides.",
          repairs: near.hints(for: need.key) + ProviderHint.texts(for: need.key)
            + (need.optionalForm.map { ["Declare the need as \($0) if it can do without."] } ?? []),
          at: [index]
        )
      }
    }
  }

  /// Shared components that need arguments, and needs that don't give the right ones.
  private var badArguments: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].owned.definition
      var problems: [ConfigurationError.Problem] = []
      if !definition.arguments.isEmpty, definition.scope != .unique {
        problems.append(
          problem(
            .arguments,
            "\(definition.key) of \(title(index)) takes the arguments \(ArgumentType.list(definition.arguments)), "
              + "but its scope .\(definition.scope) keeps an instance for others, who give other arguments.",
            repairs: [
              "Use the scope .unique.", "Keep what is shared in a component of its own, and need that.",
            ],
            at: [index]
          )
        )
      }
      for need in nodes[index].needs {
        guard let provider = providers[need.key] else { continue }
        let wanted = nodes[provider].owned.definition.arguments
        guard
          wanted.isEmpty
            ? need.arguments?.isEmpty == false : !ArgumentType.accept(wanted, need.arguments ?? [])
        else { continue }
        problems.append(
          problem(
            .arguments,
            "\(definition.key) of \(title(index)) needs \(need.key) with the arguments "
              + "\(ArgumentType.list(need.arguments ?? [])), but it takes \(ArgumentType.list(wanted)).",
            repairs: [
              wanted.isEmpty
                ? "Declare the need as .required(\(need.key.reference))."
                : "Declare the need as \(need.key.factory(taking: wanted))."
            ],
            at: [index, provider]
          )
        )
      }
      return problems
    }
  }

  // MARK: - Words

  func problem(
    _ code: ConfigurationError.Code, _ message: String, repairs: [String], at members: [Int]
  ) -> ConfigurationError.Problem {
    .init(code, message, repairs: repairs, graph: graph(of: members))
  }

  func title(_ index: Int) -> String {
    nodes[index].owned.library.map { "\($0.name) \($0.version)" } ?? "the container"
  }

  /// The whole graph.
  var graph: ComponentGraph { graph(of: Array(nodes.indices)) }

  /// The part of the graph that these components are.
  private func graph(of members: [Int]) -> ComponentGraph {
    ComponentGraph(
      members.map { nodes[$0] },
      providers: { key in providers[key].map { [nodes[$0].owned.definition.key] } ?? [] },
      contributors: { key in (contributors[key] ?? []).map { nodes[$0].owned.definition.key } }
    )
  }
}
