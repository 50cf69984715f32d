extension ComponentError {
  static func notProvided(_ key: ComponentKey, path: [ComponentKey], known: [ComponentKey]) -> ComponentError
  {
    ComponentError(
      .notProvided,
      key,
      "Nothing provides \(key).",
      path: path.isEmpty ? [] : path + [key],
      repairs: Features.hints(among: known)(key)
    )
  }

  /// - Parameters:
  ///   - path: the keys from the first request to the key that was met before.
  ///   - start: the index in `path` where it was met. Earlier keys don't belong to the cycle.
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

  static func deleted(_ key: ComponentKey, owner: ContainerOwner) -> ComponentError {
    ComponentError(
      owner.deletedCode,
      key,
      "\(key) can't be resolved: \(owner) was deleted.",
      repairs: ["Configure it again, and resolve from the new one."]
    )
  }

  /// - Parameter what: for example `can't be updated`.
  static func deleted(_ owner: ContainerOwner, _ what: String) -> ComponentError {
    ComponentError(
      owner.deletedCode,
      ComponentKey(ComponentContainer.self),
      "\(owner.title) \(what): it was deleted.",
      repairs: ["Configure it again, and use the new one."]
    )
  }

  /// - Parameter feature: what this build of Core leaves out.
  static func featureMissing(_ feature: String) -> ComponentError {
    ComponentError(
      .creationFailed,
      ComponentKey(ComponentContainer.self),
      "This build of TenonCore has no \(feature).",
      repairs: ["Build it with the folder that adds them."]
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

  static func updateWhileCreating(path: [ComponentKey]) -> ComponentError {
    ComponentError(
      .updateWhileCreating,
      path.last ?? ComponentKey(ComponentContainer.self),
      "A container can't be updated by a creation, which its own update may have to wait for.",
      path: path,
      repairs: ["Update it after creation, for example in .onStart."]
    )
  }

  /// Returns the error of a creation that threw `error`. Errors that already have a path are returned
  /// unchanged.
  ///
  /// - Parameter path: evaluated only for errors without a path.
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
