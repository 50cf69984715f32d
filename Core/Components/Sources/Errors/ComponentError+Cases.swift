extension ComponentError {
  static func notProvided(_ key: ComponentKey, path: [ComponentKey], known: [ComponentKey]) -> ComponentError
  {
    ComponentError(
      .notProvided,
      key,
      "Nothing provides \(key).",
      path: path.isEmpty ? [] : path + [key],
      repairs: NearMisses(known).hints(for: key) + ProviderHint.texts(for: key)
    )
  }

  /// - Parameters:
  ///   - path: from the first request to the key that was met before.
  ///   - start: the place in `path` where it was met. What comes before doesn't belong to the cycle.
  static func cycle(_ path: [ComponentKey], start: Int) -> ComponentError {
    // A cycle has at least one member, which is at both ends.
    let key = path.last ?? ComponentKey(Never.self)
    return ComponentError(
      .cycle,
      key,
      "\(key) needs itself while it is created.",
      path: Array(path.dropFirst(start)),
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

  /// - Parameter typeName: the library's type.
  static func notListed(
    _ key: ComponentKey, library: String, typeName: String, app: String
  ) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), which isn't among those that the app \"\(app)\" was configured with.",
      repairs: ["Add \(typeName).self to App.configure(libraries:)."]
    )
  }

  static func notActivated(_ key: ComponentKey, library: String, app: String) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), which the options of the app \"\(app)\" don't activate.",
      repairs: ["Add \"\(library)\" to AppOptions.libraries."]
    )
  }

  /// - Parameter wasDropped: whether the library hadn't registered itself.
  static func notRegistered(
    _ key: ComponentKey, library: String, wasDropped: Bool, repairs: [String], cause: any Error
  ) -> ComponentError {
    ComponentError(
      .notRegistered,
      key,
      "\(key) comes from the library \(library), "
        + (wasDropped
          ? "whose registration the linker dropped, and which can't be adopted now"
          : "which can't be adopted")
        + ": \(cause)",
      repairs: wasDropped ? repairs : [],
      underlying: cause
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
          : "Call resolve(\(key.reference), arguments: …) with \(ArgumentType.list(taken))."
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
        "Call await resolveOnMainActor(\(key.reference)) from anywhere.",
      ]
    )
  }

  static func notOverridden(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .notOverridden,
      key,
      "\(key) was reached, but the test does not override it.",
      repairs: [
        "Override it: .overrides { \(key.declaration) }.",
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
  ///
  /// - Parameter path: only computed for an error that doesn't tell its path.
  static func wrapping(
    _ error: any Error, key: ComponentKey, path: @autoclosure () -> [ComponentKey], verb: String = "created"
  ) -> any Error {
    switch error {
    case let error as ComponentError:
      return error.path.isEmpty ? error.found(on: path()) : error
    case let error as ComponentUnavailable:
      return ComponentError(
        .unavailable,
        key,
        "\(key) is not available: \(error.reason)",
        path: path(),
        underlying: error
      )
    default:
      return ComponentError(
        .creationFailed,
        key,
        "\(key) can't be \(verb): \(error)",
        path: path(),
        underlying: error
      )
    }
  }
}
