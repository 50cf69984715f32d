import TenonBasics

extension Component {
  /// Gives the component a name, so that a container can have several components of one type.
  ///
  /// A name is part of the key (R1): `resolve(T.self, named: "a")` doesn't find the component without a name.
  ///
  /// - Parameter name: one or more letters, digits, `.`, `-` and `_`. Any other name is a
  ///   ``ConfigurationError`` with the code ``ConfigurationError/Code/badName``.
  /// - Returns: the component with the name, which replaces an earlier one.
  public func named(_ name: String) -> Component {
    modified { $0.setKey(ComponentKey(Value.self, named: name)) }
  }

  /// Serves the same instance under an additional name.
  ///
  /// - Parameter name: as for ``named(_:)``. No other component may serve this type under it (R1).
  /// - Returns: the component with the alias added.
  public func alias(_ name: String) -> Component {
    providing(Value.self, named: name) { $0 }
  }

  /// Serves the same instance under its name in upper case and with a lower-case first letter as well
  /// (`Primary` as `PRIMARY` and `primary`).
  ///
  /// Each alias is served only while no component of this type claims that name. Components without a name
  /// have no aliases.
  ///
  /// - Returns: the component with automatic aliases.
  public func automaticAliases() -> Component {
    modified { $0.hasAutomaticAliases = true }
  }

  /// Sets how long an instance is used.
  ///
  /// - Parameter scope: the scope. The default is ``Scope/shared``; for components with arguments, it is
  ///   ``Scope/unique``.
  /// - Returns: the component with the scope.
  public func scope(_ scope: Scope) -> Component {
    modified { $0.scope = scope }
  }

  /// Sets when a shared instance is created.
  ///
  /// - Parameter timing: the timing. The default is ``InstantiationTiming/lazy``. Eager timings require a
  ///   scope that keeps an instance; otherwise configuring fails with ``ConfigurationError/Code/timing``.
  /// - Returns: the component with the timing.
  public func timing(_ timing: InstantiationTiming) -> Component {
    modified { $0.timing = timing }
  }

  /// Releases the shared instance when an event occurs; the next `resolve` creates a new one.
  ///
  /// By default, no event does. A component may have any number of triggers.
  ///
  /// - Parameter trigger: the event, for example ``ResetTrigger/memoryPressure``.
  /// - Returns: the component with the trigger added.
  public func reset(_ trigger: ResetTrigger) -> Component {
    modified { if !$0.resetTriggers.contains(trigger) { $0.resetTriggers.append(trigger) } }
  }

  /// Serves the same instance under an additional type.
  ///
  /// ```swift
  /// Component(Accounts.self) { _ in Accounts() }.providing((any AuthInterop).self) { $0 }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the additional type.
  ///   - name: the name of the additional key; none by default.
  ///   - view: converts the instance to the additional type. It is called once per instance of a scope that
  ///     keeps one, and for each request otherwise. It may throw ``ComponentUnavailable`` to decline.
  /// - Returns: the component with the service added.
  public func providing<Interface: Sendable>(
    _ type: Interface.Type,
    named name: String? = nil,
    _ view: @escaping @Sendable (Value) throws -> Interface
  ) -> Component {
    modified { $0.services.append(Service(ComponentKey(type, named: name), view)) }
  }

  /// Adds the instance to the values that a dependency on `.all(type)` receives.
  ///
  /// Contributions aren't keys (R1): any number of components may contribute to one type, and `resolve(type)`
  /// doesn't find them.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  ///   - view: converts the instance to that type. It may throw ``ComponentUnavailable``, which leaves the
  ///     instance out.
  /// - Returns: the component with the contribution added.
  public func contributing<Interface: Sendable>(
    to type: Interface.Type,
    named name: String? = nil,
    _ view: @escaping @Sendable (Value) throws -> Interface
  ) -> Component {
    modified { $0.contributions.append(Service(ComponentKey(type, named: name), view)) }
  }

  /// Makes the component one of the values of `.all(Value.self)` and nothing else.
  ///
  /// It is no longer served under a key, so several components of the same type can contribute.
  ///
  /// - Returns: the component as a contribution.
  public func contributing() -> Component {
    modified { component in
      component.isServed = false
      component.contributions.append(Service(component.key) { (value: Value) in value })
    }
  }
}

// MARK: - Actions

extension Component {
  /// Runs an action with each new instance, once everything that was created along with it is complete.
  ///
  /// This is the second phase of creation: here a component can resolve what in turn needs it, which closes
  /// circular references. No other thread sees the instance before the action has run. If the action throws,
  /// nothing that this resolution created is kept (R6). Several actions run in the order in which they were
  /// added.
  ///
  /// - Parameter action: receives the instance and its container.
  /// - Returns: the component with the action added.
  public func onCreate(
    _ action: @escaping @Sendable (Value, ComponentContainer) throws -> Void
  ) -> Component {
    modified { component in
      let earlier = component.completion
      component.completion = { value, container in
        try earlier?(value, container)
        try action(value, container)
      }
    }
  }

  /// Runs an action with the shared instance when the container is started; see
  /// ``ComponentContainer/start()``.
  ///
  /// The action runs once per instance, after the actions of what the component needs. It requires a scope
  /// that keeps an instance. Several actions run in the order in which they were added.
  ///
  /// - Parameter action: receives the instance. What it throws fails `start()`.
  /// - Returns: the component with the action added.
  public func onStart(_ action: @escaping @Sendable (Value) async throws -> Void) -> Component {
    modified { component in
      let earlier = component.start
      component.start = { value in
        try await earlier?(value)
        try await action(value)
      }
    }
  }

  /// Runs an action when a shared instance is retired: its app is deleted, its component is removed, or it is
  /// reset.
  ///
  /// Instances that are retired together are processed in reverse order of creation, and the actions of one
  /// component from the last to the first. An instance that is retired later waits for the instances of
  /// components that need it and for earlier instances of its own component, and for nothing else. An action
  /// must not await the deletion or a reset of its own container, which waits for the action.
  ///
  /// - Parameter action: receives the instance, which is released afterwards.
  /// - Returns: the component with the action added.
  public func onDelete(_ action: @escaping @Sendable (Value) async -> Void) -> Component {
    modified { component in
      let earlier = component.deletion
      component.deletion = { value in
        await action(value)
        await earlier?(value)
      }
    }
  }

  /// Returns a changed copy.
  func modified(_ change: (inout Component) -> Void) -> Component {
    var copy = self
    change(&copy)
    return copy
  }

  /// The names that ``automaticAliases()`` would add, sorted.
  var aliasCandidates: [ComponentKey] {
    guard hasAutomaticAliases, let name = key.name else { return [] }
    let forms = [name.uppercased(), name.prefix(1).lowercased() + name.dropFirst()]
    return Set(forms).subtracting([name]).ordered().map { ComponentKey(Value.self, named: $0) }
  }
}
