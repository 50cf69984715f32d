extension ComponentError {
  static func notProvided(_ key: ComponentKey, path: [ComponentKey], known: [ComponentKey]) -> ComponentError
  {
    ComponentError(
      .notProvided,
      key,
      "Nothing provides \(key).",
      path: path.isEmpty ? [] : path + [key],
      repairs: NearMisses.hints(for: key, among: known) + [ProviderHint.text(for: key)]
    )
  }

  /// - Parameter path: from the first request to the key that was met before; of it, the circle is told.
  static func cycle(_ path: [ComponentKey]) -> ComponentError {
    // A cycle has at least one member, which stands at both ends.
    let key = path.last ?? ComponentKey(Never.self)
    let start = path.firstIndex(of: key) ?? 0
    return ComponentError(
      .cycle,
      key,
      "\(key) needs itself while it is created.",
      path: Array(path[start...]),
      pathStart: start,
      repairs: ["Declare one of these needs as .provider(…) and ask it after creation."]
    )
  }

  static func deleted(_ key: ComponentKey, owner: String) -> ComponentError {
    ComponentError(
      owner.hasPrefix("the app") ? .appDeleted : .containerDeleted,
      key,
      "\(key) can't be resolved: \(owner) was deleted.",
      repairs: ["Configure it again, and resolve from the new one."]
    )
  }

  /// - Parameter what: for example `can't be updated`.
  static func deleted(_ owner: String, _ what: String) -> ComponentError {
    ComponentError(
      owner.hasPrefix("the app") ? .appDeleted : .containerDeleted,
      ComponentKey(ComponentContainer.self),
      "\(owner.prefix(1).uppercased())\(owner.dropFirst()) \(what): it was deleted.",
      repairs: ["Configure it again, and use the new one."]
    )
  }

  static func containerGone(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .containerDeleted,
      key,
      "\(key) can't be resolved: the container that its provider belongs to is gone.",
      repairs: ["Keep the container as long as its components are used."]
    )
  }

  static func noApp(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .noApp,
      key,
      "\(key) asks for its app, but its container stands alone.",
      repairs: ["Resolve it from an App, or create it without context.app."]
    )
  }

  static func weakValue(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .weakValue,
      key,
      "\(key) has the scope .weak, but what it creates is not an instance of a class.",
      repairs: ["Use .shared or .unique."]
    )
  }

  static func wrongArguments(
    _ key: ComponentKey, taken: [ArgumentType], given: [any Sendable], path: [ComponentKey]
  ) -> ComponentError {
    let types = given.map { "\(type(of: $0))" }.joined(separator: ", ")
    return ComponentError(
      .arguments,
      key,
      taken.isEmpty
        ? "\(key) takes no arguments, but was given (\(types))."
        : "\(key) takes the arguments \(ArgumentType.list(taken)), but was given (\(types)).",
      path: path,
      repairs: [
        taken.isEmpty
          ? "Resolve it without arguments."
          : "Call resolve(\(key.typeExpression), arguments: …) with \(ArgumentType.list(taken))."
      ]
    )
  }

  static func notOnMainActor(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .notOnMainActor,
      key,
      "\(key) is created on the main actor, but was asked for elsewhere.",
      repairs: [
        "Ask for it on the main actor.",
        "Call await resolveOnMainActor(\(key.typeExpression)) from anywhere.",
      ]
    )
  }

  static func notOverridden(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .notOverridden,
      key,
      "\(key) was reached, but the test does not override it.",
      repairs: [
        "Override it: .overrides { Component(\(key.typeExpression)) { … } }.",
        "Allow it with allowing: [\(key.typeExpression)] if the test is about it.",
      ]
    )
  }

  static func updateWhileCreating(path: [ComponentKey]) -> ComponentError {
    ComponentError(
      .updateWhileCreating,
      path.last ?? ComponentKey(ComponentContainer.self),
      "A container can't be updated by a creation, which its own update may have to wait for.",
      path: path,
      repairs: ["Update it after creation, for example in .onStart."]
    )
  }

  /// The error of a creation that threw `error`; errors that already tell their path stay as they are.
  static func wrapping(
    _ error: any Error, key: ComponentKey, path: [ComponentKey], verb: String = "created"
  ) -> any Error {
    switch error {
    case let error as ComponentError:
      return error.found(on: path)
    case let error as ComponentUnavailable:
      return ComponentError(
        .unavailable,
        key,
        "\(key) is not available: \(error.reason)",
        path: path,
        underlying: error
      )
    default:
      return ComponentError(
        .creationFailed,
        key,
        "\(key) can't be \(verb): \(error)",
        path: path,
        underlying: error
      )
    }
  }
}

/// Says which library would provide an interface that nothing provides.
enum ProviderHint {
  /// All protocols of an interop module are implemented by the product that it is named after: `TenonAuth` provides
  /// what `TenonAuthInterop` declares.
  static func text(for key: ComponentKey) -> String { text(for: key, module: key.module) }

  static func text(for key: ComponentKey, module: String) -> String {
    let suffix = "Interop"
    if module.hasSuffix(suffix), module.count > suffix.count {
      let product = module.dropLast(suffix.count)
      return "Link the library \(product), which provides it, or pass it to App.configure(libraries:)."
    }
    return "Add Component(\(key.typeExpression)) { … } to a library or to the container."
  }
}

/// Finds keys that somebody may have meant.
enum NearMisses {
  static func hints(for key: ComponentKey, among known: [ComponentKey]) -> [String] {
    let sameType = known.filter { $0.type == key.type && $0.name != key.name }
    let similar = known.filter { $0.type != key.type && isSimilar($0.typeName, key.typeName) }
    return (sameType + similar).prefix(3).map { "There is \($0)." }
  }

  private static func isSimilar(_ left: String, _ right: String) -> Bool {
    let (left, right) = (bare(left), bare(right))
    return left == right || distance(left, right) <= 2
  }

  private static func bare(_ name: String) -> String {
    var name = name.hasPrefix("any ") ? String(name.dropFirst(4)) : name
    for suffix in ["Interop", "Protocol"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    return name.lowercased()
  }

  /// Levenshtein's edit distance.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var previous = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let substituted = previous + (character == other ? 0 : 1)
        previous = row[j + 1]
        row[j + 1] = min(substituted, previous + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
