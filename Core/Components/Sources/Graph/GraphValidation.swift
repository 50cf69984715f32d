/// Checks a graph before anything is created, and finds every problem (R1, R2).
struct GraphValidation {
  private let definitions: [OwnedDefinition]
  private let providers: [ComponentKey: [Int]]
  private let contributors: [ComponentKey: [Int]]

  init(_ definitions: [OwnedDefinition]) {
    self.definitions = definitions
    var providers: [ComponentKey: [Int]] = [:]
    var contributors: [ComponentKey: [Int]] = [:]
    for (index, owned) in definitions.enumerated() {
      for key in owned.definition.servedKeys { providers[key, default: []].append(index) }
      for key in owned.definition.contributions { contributors[key, default: []].append(index) }
    }
    self.providers = providers
    self.contributors = contributors
  }

  var problems: [ConfigurationError.Problem] {
    badNames + badTimings + duplicateKeys + missingDependencies + cycles
  }

  // MARK: - Single components

  private var badNames: [ConfigurationError.Problem] {
    definitions.flatMap { owned in
      (owned.definition.servedKeys + owned.definition.contributions).compactMap { key in
        guard let name = key.name, !Self.isName(name) else { return nil }
        return .init(
          .badName,
          "\(key) of \(title(owned)) has a bad name.",
          repairs: ["Use letters, digits, \".\", \"-\" and \"_\"."]
        )
      }
    }
  }

  private var badTimings: [ConfigurationError.Problem] {
    definitions.compactMap { owned in
      let definition = owned.definition
      guard definition.timing != .lazy, definition.scope != .shared else { return nil }
      return .init(
        .timing,
        "\(definition.key) of \(title(owned)) is \(definition.timing), but its scope .\(definition.scope) keeps no instance.",
        repairs: ["Use the scope .shared, or remove .timing(…)."]
      )
    }
  }

  static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || [".", "-", "_"].contains(scalar)
      }
  }

  // MARK: - Keys

  private var duplicateKeys: [ConfigurationError.Problem] {
    var reported: Set<ComponentKey> = []
    return definitions.flatMap { owned in
      owned.definition.servedKeys.compactMap { key in
        guard let all = providers[key], all.count > 1, reported.insert(key).inserted else { return nil }
        if Set(all).count == 1 {
          return .init(
            .duplicateKey,
            "\(title(owned)) provides \(key) twice.",
            repairs: ["Remove one .providing(\(key.typeExpression))."]
          )
        }
        let names = all.map { title(definitions[$0]) }
        return .init(
          .duplicateKey,
          "\(key) is provided by \(names.joined(separator: " and ")).",
          repairs: [
            "Link one of them only.", "Give one a name with .named(…).",
            "Declare them with .contributing() if all of them are meant, and need .all(\(key.typeExpression)).",
          ]
        )
      }
    }
  }

  private var missingDependencies: [ConfigurationError.Problem] {
    let known = definitions.flatMap { $0.definition.servedKeys }
    return definitions.flatMap { owned in
      owned.definition.needs.compactMap { need in
        guard need.kind == .required || need.kind == .provider, providers[need.key] == nil else { return nil }
        return .init(
          .missingDependency,
          "\(owned.definition.key) of \(title(owned)) needs \(need.key), which nothing provides.",
          repairs: NearMisses.hints(for: need.key, among: known) + [
            ProviderHint.text(for: need.key),
            "Declare the need as .optional(\(need.key.typeExpression)) if it can do without.",
          ]
        )
      }
    }
  }

  // MARK: - Cycles

  /// Components that must exist before component `index` can be created.
  private func prerequisites(_ index: Int) -> [Int] {
    definitions[index].definition.needs.flatMap { need -> [Int] in
      switch need.kind {
      case .required, .optional: (providers[need.key]?.first).map { [$0] } ?? []
      case .all: contributors[need.key] ?? []
      default: []
      }
    }
  }

  /// One problem per circle: a depth-first search reports each edge that leads back into the path it came by.
  private var cycles: [ConfigurationError.Problem] {
    var problems: [ConfigurationError.Problem] = []
    var isFinished = [Bool](repeating: false, count: definitions.count)
    var position = [Int?](repeating: nil, count: definitions.count)
    for start in definitions.indices where !isFinished[start] {
      // An explicit stack, because a chain of components may be longer than a thread's stack is deep.
      var path: [(node: Int, rest: ArraySlice<Int>)] = [(start, prerequisites(start)[...])]
      position[start] = 0
      while let last = path.last {
        guard let next = last.rest.first else {
          isFinished[last.node] = true
          position[last.node] = nil
          path.removeLast()
          continue
        }
        path[path.count - 1].rest = last.rest.dropFirst()
        if let from = position[next] {
          problems.append(cycle(path[from...].map(\.node) + [next]))
        } else if !isFinished[next] {
          position[next] = path.count
          path.append((next, prerequisites(next)[...]))
        }
      }
    }
    return problems
  }

  private func cycle(_ nodes: [Int]) -> ConfigurationError.Problem {
    let members = nodes.map { "\(definitions[$0].definition.key) (\(title(definitions[$0])))" }
    return .init(
      .cycle,
      "Components need each other in a circle: \(members.joined(separator: " → ")).",
      repairs: ["Declare one of these needs as .provider(…) and ask it after creation."]
    )
  }

  private func title(_ owned: OwnedDefinition) -> String {
    owned.library.map { "\($0.name) \($0.version)" } ?? "the container"
  }
}
