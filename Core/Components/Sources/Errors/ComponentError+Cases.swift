extension ComponentError {
  /// The error (``Code/notProvided``) for a key that nothing provides.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - path: the keys from the first request to the component that requests it; empty for a request outside
  ///     of any creation.
  ///   - known: the keys that are provided, among which the repairs suggest similar ones.
  ///   - module: the module that declares the type, if a library of it may have been dropped.
  static func notProvided(
    _ key: ComponentKey, path: [ComponentKey], known: [ComponentKey], droppedFrom module: String? = nil
  ) -> ComponentError {
    ComponentError(
      .notProvided,
      key,
      "Nothing provides \(key).",
      path: path.isEmpty ? [] : path + [key],
      repairs: NearMisses(known).hints(for: key) + ProviderHint.texts(for: key)
        + (module.map { [DroppedRegistration.suspicion($0)] + DroppedRegistration.repairs(ofModule: $0) }
          ?? [])
    )
  }

  /// The error (``Code/cycle``) for an instance whose creation requests the instance itself.
  ///
  /// - Parameters:
  ///   - path: the keys from the first request to the key that occurs a second time.
  ///   - start: the index in `path` of its first occurrence. Earlier keys don't belong to the cycle, so the
  ///     error omits them.
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

  /// The error (``Code/appDeleted`` or ``Code/containerDeleted``) for a request to a deleted container. If a
  /// creation made the request, the path is added when the error leaves it.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - owner: the app or the container.
  static func deleted(_ key: ComponentKey, owner: ContainerOwner) -> ComponentError {
    ComponentError(
      owner.deletedCode,
      key,
      "\(key) can't be resolved: \(owner) was deleted.",
      repairs: ["Configure it again, and resolve from the new one."]
    )
  }

  /// The error (``Code/appDeleted`` or ``Code/containerDeleted``) for an operation on a deleted container. It
  /// concerns no component, so its key is that of the container.
  ///
  /// - Parameters:
  ///   - owner: the app or the container.
  ///   - what: the operation, for example `can't be updated`.
  static func deleted(_ owner: ContainerOwner, _ what: String) -> ComponentError {
    ComponentError(
      owner.deletedCode,
      ComponentKey(ComponentContainer.self),
      "\(owner.title) \(what): it was deleted.",
      repairs: ["Configure it again, and use the new one."]
    )
  }

  /// The error (``Code/containerDeleted``) of a provider whose container has been deallocated.
  ///
  /// - Parameter key: the key of the provider.
  static func containerGone(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .containerDeleted,
      key,
      "\(key) can't be resolved: the container that its provider belongs to is gone.",
      repairs: ["Keep the container as long as its components are used."]
    )
  }

  /// The error (``Code/noApp``) of a component that requests its app in a container without an app.
  ///
  /// - Parameter key: the key of the component, not that of the app. The path is added when the error leaves
  ///   the creation.
  static func noApp(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .noApp,
      key,
      "\(key) requests its app, but its container belongs to no app.",
      repairs: ["Resolve it from an App, or create it without context.app."]
    )
  }

  /// The error (``Code/weakValue``) of a `.weak` component that created something that isn't an object.
  ///
  /// - Parameter key: the key of the component. The path is added when the error leaves the creation.
  static func weakValue(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .weakValue,
      key,
      "\(key) has the scope .weak, but what it creates isn't an instance of a class.",
      repairs: ["Use .shared or .unique."]
    )
  }

  /// The error (``Code/updateWhileCreating``) of a creation that tried to update its container, or of an
  /// update inside another one.
  ///
  /// - Parameter path: the keys from the first request to the creation; empty if the thread is running an
  ///   `onCreate` action or an update.
  static func updateWhileCreating(path: [ComponentKey]) -> ComponentError {
    ComponentError(
      .updateWhileCreating,
      path.last ?? ComponentKey(ComponentContainer.self),
      "A container can't be updated by a creation, which its own update may have to wait for.",
      path: path,
      repairs: ["Update it after creation, for example in .onStart."]
    )
  }

  /// The error (``Code/creationFailed``) for an object that a component's injections don't apply to.
  ///
  /// - Parameters:
  ///   - key: the key that was requested.
  ///   - created: the key of the component, whose type the object must have.
  static func notInjectable(_ key: ComponentKey, as created: ComponentKey) -> ComponentError {
    ComponentError(
      .creationFailed,
      key,
      "\(key) can't be injected: the object isn't a \(created.typeName), which its component creates.",
      path: [key],
      repairs: ["Pass an object of that type.", "Declare a component of the object's type."]
    )
  }

  /// Returns the error to throw for a creation that threw `error`: a ``ComponentError`` with the path. Errors
  /// that already have a path are returned unchanged: their path leads to the creation that failed first.
  ///
  /// ``ComponentUnavailable`` becomes ``Code/unavailable``, and any error of another type
  /// ``Code/creationFailed``; both are the ``underlying`` error of the result.
  ///
  /// - Parameters:
  ///   - error: the error that the creation threw.
  ///   - key: the key of the component.
  ///   - path: the keys from the first request to the component. Evaluated only for errors without a path.
  ///   - verb: what failed, as a past participle; `created` by default.
  ///   - component: the component.
  static func wrapping(
    _ error: any Error, key: ComponentKey, path: @autoclosure () -> [ComponentKey], verb: String = "created",
    of component: InstalledComponent
  ) -> any Error {
    if let error = error as? ComponentError, !error.path.isEmpty { return error }
    return wrapping(error, key: key, on: path(), verb: verb, of: component)
  }

  /// Returns the error to throw for an error without a path. Neither inlined nor with a closure: the compiler
  /// would make a copy for each call.
  @inline(never) private static func wrapping(
    _ error: any Error, key: ComponentKey, on path: [ComponentKey], verb: String,
    of component: InstalledComponent
  ) -> ComponentError {
    switch error {
    case let error as ComponentError: error.found(on: path)
    case let error as ComponentUnavailable:
      ComponentError(
        .unavailable, key, "\(key) isn't available: \(error.reason)", path: path, underlying: error,
        thrower: ObjectIdentifier(component))
    default:
      ComponentError(
        .creationFailed, key, "\(key) can't be \(verb): \(error)", path: path, underlying: error,
        thrower: ObjectIdentifier(component))
    }
  }
}
