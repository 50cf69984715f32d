extension Component {
  /// Declares a component that is created on the main actor (R12).
  ///
  /// It must be resolved there: on the main actor, or with
  /// ``ComponentContainer/resolveOnMainActor(_:named:)`` from anywhere. Once created, a shared instance is
  /// returned on every thread.
  ///
  /// ```swift
  /// Component.onMainActor(Screen.self, needs: .required((any Clock).self)) { _, clock in
  ///   Screen(clock: clock)
  /// }
  /// ```
  ///
  /// The instances that its creation receives are created there as well, unless they exist. If its timing is
  /// eager, the container must be configured on the main actor.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - needs: the dependencies, one for each parameter of `create` after the context.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  ///   - create: creates an instance, on the main actor.
  /// - Returns: the component. Requested elsewhere, its creation throws
  ///   ``ComponentError/Code/notOnMainActor``.
  @export(implementation)
  public static func onMainActor<each Needed: Sendable>(
    _ type: Value.Type,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID,
    line: UInt = #line,
    create: @escaping @MainActor @Sendable (ComponentContext, repeat each Needed) throws -> Value
  ) -> Component {
    var declared: [Need] = []
    for dependency in repeat each needs { declared.append(dependency.need) }
    return Component(type, needs: declared, arguments: [], at: (file, line)) {
      builder, context in
      let bound = (repeat (each needs).bind(builder).make)
      return Make { thread in
        guard MainActor.isCurrent else { throw ComponentError.notOnMainActor(context.component) }
        let needed = (repeat try (each bound)(thread))
        return try MainActor.assumeIsolated { try create(context, repeat each needed) }
      }
    }.createdOnMainActor()
  }

  /// Declares a component that is created on the main actor, by a function whose parameters are its needs.
  ///
  /// ```swift
  /// Component.onMainActor(from: Screen.init(clock:))
  /// ```
  ///
  /// The types of the parameters are the needs, as for ``init(from:file:line:)``. Everything else is as for
  /// ``onMainActor(_:needs:file:line:create:)``.
  ///
  /// - Parameters:
  ///   - create: creates an instance from what it needs, on the main actor.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  /// - Returns: the component.
  @export(implementation)
  public static func onMainActor<each Needed: Sendable>(
    from create: @escaping @MainActor @Sendable (repeat each Needed) throws -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Component {
    onMainActor(from: create, needs: repeat Dependency<each Needed>.inferred, file: file, line: line)
  }

  /// Declares a component that is created on the main actor, by a function whose parameters are its needs,
  /// with a dependency for each of them; see ``init(from:needs:file:line:)``.
  ///
  /// - Parameters:
  ///   - create: creates an instance from what it needs, on the main actor.
  ///   - needs: the dependencies, one for each parameter.
  ///   - file: the file of the declaration, for messages.
  ///   - line: the line of the declaration, for messages.
  /// - Returns: the component.
  @export(implementation)
  public static func onMainActor<each Needed: Sendable>(
    from create: @escaping @MainActor @Sendable (repeat each Needed) throws -> Value,
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Component {
    onMainActor(Value.self, needs: repeat each needs, file: file, line: line) {
      (_: ComponentContext, needed: repeat each Needed) in
      try create(repeat each needed)
    }
  }
}

extension Component {
  /// Returns a copy that must be resolved on the main actor.
  @usableFromInline func createdOnMainActor() -> Component { modified { $0.isOnMainActor = true } }
}

extension ComponentContainer {
  /// Returns the instance of a type, created on the main actor if necessary; see
  /// ``Component/onMainActor(_:needs:file:line:create:)``.
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Returns: the instance.
  /// - Throws: as ``ComponentContainer/resolve(_:named:)``.
  @export(implementation) @MainActor
  public func resolveOnMainActor<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil
  ) throws -> Value {
    try resolve(type, named: name)
  }

  /// Returns the instance of a type where an optional is expected, created on the main actor if necessary;
  /// `nil` if nothing provides the type or its provider declines. See ``resolve(named:)``.
  ///
  /// - Parameter name: the component's name; `nil` for the component without one.
  /// - Returns: the instance.
  /// - Throws: as ``ComponentContainer/resolveIfPresent(_:named:)``.
  @export(implementation) @MainActor
  public func resolveOnMainActor<Wrapped: Sendable>(named name: String? = nil) throws -> Wrapped? {
    try resolveIfPresent(Wrapped.self, named: name)
  }
}

extension ComponentError {
  /// The error for a component of the main actor that must be created and was requested elsewhere.
  ///
  /// - Parameter key: the key of the component.
  @usableFromInline static func notOnMainActor(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .notOnMainActor,
      key,
      "\(key) is created on the main actor, but was requested outside of it.",
      repairs: [
        "Ask for it on the main actor.",
        "Call await resolveOnMainActor(\(key.reference)) from anywhere.",
      ]
    )
  }
}
