/// Validates a graph before anything is created: finds every problem (R1, R2), or the order in which to build
/// the graph.
///
/// The initializer does all the work and calls no code of a component. It doesn't change the container; the
/// result is used if ``problems`` is empty.
///
/// Complexity: O(*n*) in the number of components and needs if there are no problems.
struct GraphValidation {
  /// The components of the graph, in order of declaration. Other properties refer to them by index.
  let nodes: [GraphNode]
  /// The parent's graph, which is valid; `nil` without a parent. It provides what a child's components need
  /// and the child doesn't provide, and the instance that a component decorates.
  let base: Wiring?
  /// Whether any of the components decorates another.
  private let hasDecorators: Bool
  /// The node that serves each key; the first one if there are several.
  private(set) var providers: [ComponentKey: Int] = [:]
  /// The keys that several nodes serve, each with all of these nodes in order, in the order in which they
  /// were found.
  private var duplicates: [(key: ComponentKey, nodes: [Int])] = []
  /// The nodes that contribute to each key, in order of declaration. The parent's contributions aren't
  /// included.
  private(set) var contributors: [ComponentKey: [Int]] = [:]
  /// What is wrong with the graph, in the order in which it was found.
  var problems: [ConfigurationError.Problem] = []
  /// The nodes, each after everything that it needs; complete only if there are no problems.
  var order: [Int] = []
  /// The components of the parent that nodes of this graph replace.
  private let replaced: Set<ObjectIdentifier>

  /// Validates a graph. No problem hides one of another kind, except that the depth of chains is checked only
  /// in a graph without cycles.
  ///
  /// - Parameters:
  ///   - nodes: the components, in order of declaration.
  ///   - base: the parent's graph; `nil`, the default, without a parent.
  init(_ nodes: [GraphNode], over base: Wiring? = nil) {
    self.nodes = nodes
    self.base = base
    hasDecorators = nodes.contains { !$0.definition.decoratedKeys.isEmpty }
    replaced = base == nil ? [] : Set(nodes.compactMap(\.origin).map { ObjectIdentifier($0) })
    collectKeys()
    problems += badNames + badScopes + weakValues + duplicateKeys + missingDependencies
    problems += badArguments
    findOrder()
  }

  /// Fills `providers`, `contributors` and `duplicates`.
  ///
  /// - Complexity: O(*n*) in the number of keys and contributions.
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

  /// Returns the node that serves a key to a component.
  ///
  /// A component that needs a key that it serves itself decorates another component, which is returned.
  ///
  /// - Parameters:
  ///   - key: the key that is needed.
  ///   - node: the component that needs it.
  /// - Returns: the index of the node; `nil` if the parent's graph serves the key, or nothing does.
  func provider(of key: ComponentKey, for node: Int) -> Int? {
    guard hasDecorators, nodes[node].definition.decoratedKeys.contains(key) else { return providers[key] }
    if case .planned(let inner)? = nodes[node].inner[key] { return inner }
    return nil
  }

  /// Returns the slot of the parent's graph that serves a key to a component; `nil` if there is none. Only
  /// for a key for which ``provider(of:for:)`` returns `nil`.
  func inherited(_ key: ComponentKey, for node: Int) -> (any AnySlot)? {
    guard hasDecorators, nodes[node].definition.decoratedKeys.contains(key) else { return base?.slot(key) }
    if case .built(let slot)? = nodes[node].inner[key] { return slot }
    return nil
  }

  // MARK: - Single components

  /// Names of keys with characters that aren't allowed (``ConfigurationError/Code/badName``), including the
  /// names under which components contribute. Each key of a component is one problem.
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
          "\(key) of \(title(index)) has an invalid name.",
          repairs: ["Use letters, digits, \".\", \"-\" and \"_\"."],
          at: [index]
        )
      }
    }
  }

  /// Timings and actions that require an instance to be kept, on scopes that keep none
  /// (``ConfigurationError/Code/timing``). Each timing or action is one problem.
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

  /// Types of `.weak` components that have no instances of classes, which can't be referred to weakly
  /// (``ConfigurationError/Code/timing``). Each type is one problem.
  private var weakValues: [ConfigurationError.Problem] {
    nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      let definition = nodes[index].definition
      guard definition.scope == .weak else { return [] }
      return ([definition.key] + definition.services + definition.contributions).filter(\.isValueType).map {
        problem(
          .timing,
          "\(definition.key) of \(title(index)) has the scope .weak, but \($0) isn't a class.",
          repairs: [
            $0 == definition.key
              ? "Use the scope .shared, or create an instance of a class."
              : "Use the scope .shared, or provide \($0) with a component that needs this one."
          ],
          at: [index]
        )
      }
    }
  }

  /// Returns whether a text is a valid name for a component, a library or an app: one or more letters,
  /// digits, `.`, `-` and `_`, in any script. Beyond ASCII, letters are the scalars with the Unicode property
  /// `Alphabetic`, and digits those with a numeric type.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  @inline(never) static func isName(_ name: String) -> Bool {
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

  /// Keys that several components serve, or one component twice (R1;
  /// ``ConfigurationError/Code/duplicateKey``). Each key is one problem, however many components serve it.
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

  /// The number of missing dependencies for which similar keys are searched. Whoever sees as many problems
  /// doesn't read the suggestions for each, and a search takes time for every key of the graph.
  static var suggestionLimit: Int { 20 }

  /// Needs that nothing in this graph or the parent's meets (R2;
  /// ``ConfigurationError/Code/missingDependency``), one problem for each need. The index for suggestions is
  /// built once, and only if there are problems.
  private var missingDependencies: [ConfigurationError.Problem] {
    var near: NearMisses?
    var count = 0
    return nodes.indices.flatMap { index -> [ConfigurationError.Problem] in
      nodes[index].needs.compactMap { need -> ConfigurationError.Problem? in
        guard need.kind.isDemanded, provider(of: need.key, for: index) == nil,
          inherited(need.key, for: index) == nil
        else { return nil }
        if nodes[index].definition.decoratedKeys.contains(need.key) { return undecorated(need.key, index) }
        let known = near ?? NearMisses(Set(nodes.flatMap(\.servedKeys)).union(base?.keys ?? []))
        near = known
        count += 1
        let similar = count > Self.suggestionLimit ? [] : known.hints(for: need.key)
        return problem(
          .missingDependency,
          "\(nodes[index].definition.key) of \(title(index)) needs \(need.key), which nothing provides.",
          repairs: similar + ProviderHint.texts(for: need.key)
            + (need.optionalForm.map { ["Declare the need as \($0) if it can do without."] } ?? []),
          at: [index]
        )
      }
    }
  }

  /// Returns the problem of a required decorator with nothing to decorate.
  private func undecorated(_ key: ComponentKey, _ index: Int) -> ConfigurationError.Problem {
    let name = key.name.map { "named: \"\($0)\", " } ?? ""
    return problem(
      .missingDependency,
      "\(key) of \(title(index)) decorates \(key), which nothing else provides.",
      repairs: [
        "Link the library that provides it, or declare it in this container or its parent.",
        "Declare it with .decorating(\(key.typeExpression), \(name)isOptional: true) to leave it out then.",
      ],
      at: [index]
    )
  }

  // MARK: - Words

  /// Returns a problem with the part of the graph that it concerns, and with the place of the first of the
  /// members.
  ///
  /// - Parameters:
  ///   - code: the kind of problem.
  ///   - message: what is wrong, in a sentence.
  ///   - repairs: what to do about it, best first.
  ///   - members: the nodes that it concerns; empty for a problem without a graph.
  @inline(never) func problem(
    _ code: ConfigurationError.Code, _ message: String, repairs: [String], at members: [Int]
  ) -> ConfigurationError.Problem {
    .init(
      code, message, repairs: repairs, graph: graph(of: members),
      place: members.first.map { nodes[$0].definition.place })
  }

  /// Returns the library of a node with its version, for messages, for example `greeting 1.0.0`.
  ///
  /// - Parameter index: the index of the node in `nodes`.
  func title(_ index: Int) -> String { title(nodes[index]) }

  /// Returns the library of a node with its version, for messages; `the container` if no library declares it.
  @inline(never) func title(_ node: GraphNode) -> String {
    node.library.map { "\($0.name) \($0.version)" } ?? "the container"
  }

  /// The whole graph as data, for a graph that is examined without being built. The components of the parent
  /// aren't included, but they appear as providers.
  var graph: ComponentGraph { graph(of: Array(nodes.indices)) }

  /// Returns a part of the graph as data. The needs of its members name all their providers, whether these
  /// are included or not.
  ///
  /// - Parameter members: the nodes to include.
  private func graph(of members: [Int]) -> ComponentGraph {
    ComponentGraph(
      members.map { nodes[$0] },
      providers: { node, key in
        let inherited = base?.slot(key)?.component.key
        guard node.definition.decoratedKeys.contains(key) else {
          return (providers[key].map { nodes[$0].definition.key } ?? inherited).map { [$0] } ?? []
        }
        return switch node.inner[key] {
        case .planned(let index)?: [nodes[index].definition.key]
        case .built(let slot)?: [slot.component.key]
        case nil: []
        }
      },
      contributors: { key in
        let inherited = base?.contributions(to: key).map(\.component).filter {
          !replaced.contains(ObjectIdentifier($0))
        }
        return (inherited ?? []).map(\.key)
          + (contributors[key] ?? []).map { nodes[$0].definition.key }
      }
    )
  }
}
