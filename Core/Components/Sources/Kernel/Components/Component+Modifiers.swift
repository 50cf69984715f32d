extension Component {
  /// Gives the component a name, so that several components of one type can stand side by side.
  ///
  /// - Parameter name: letters, digits, `.`, `-` and `_`.
  public func named(_ name: String) -> Component {
    modified { $0.key = ComponentKey(Value.self, named: name) }
  }

  /// Serves the same instance under a further name.
  ///
  /// - Parameter name: as for ``named(_:)``; it must be free for this type (R1).
  public func alias(_ name: String) -> Component {
    providing(Value.self, named: name) { $0 }
  }

  /// Serves the same instance also under its name in upper case and with a lower-case first letter (`Primary` as
  /// `PRIMARY` and `primary`), each where no component of this type claims that name.
  public func automaticAliases() -> Component {
    modified { $0.hasAutomaticAliases = true }
  }

  /// Sets how long an instance is used. The default is ``Scope/shared``.
  public func scope(_ scope: Scope) -> Component {
    modified { $0.scope = scope }
  }

  /// Sets when a shared instance is created. The default is ``InstantiationTiming/lazy``.
  public func timing(_ timing: InstantiationTiming) -> Component {
    modified { $0.timing = timing }
  }

  /// Gives the shared instance up on an event: the next `resolve` creates it anew. By default no event does.
  public func reset(_ trigger: ResetTrigger) -> Component {
    modified { $0.resetTriggers.insert(trigger) }
  }

  /// Serves the same instance under a further type.
  ///
  /// ```swift
  /// Component(Auth.self) { … }.providing((any AuthInterop).self) { $0 }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the further type.
  ///   - name: the name of the further key; none by default.
  ///   - view: turns the instance into the further type; called once per instance. It may throw
  ///     ``ComponentUnavailable``.
  public func providing<Interface: Sendable>(
    _ type: Interface.Type,
    named name: String? = nil,
    _ view: @escaping @Sendable (Value) throws -> Interface
  ) -> Component {
    modified { $0.services.append(Service(ComponentKey(type, named: name), view)) }
  }

  /// Adds the instance to what a dependency on `.all(type)` receives.
  ///
  /// Contributions aren't keys: any number may be made to one type.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  ///   - view: turns the instance into that type.
  public func contributing<Interface: Sendable>(
    to type: Interface.Type,
    named name: String? = nil,
    _ view: @escaping @Sendable (Value) throws -> Interface
  ) -> Component {
    modified { $0.contributions.append(Service(ComponentKey(type, named: name), view)) }
  }

  /// Makes the component one of the values of `.all(Value.self)` and nothing else: it is no longer served under a
  /// key of its own, so several components of the same type can contribute.
  public func contributing() -> Component {
    modified { component in
      component.isServed = false
      component.contributions.append(Service(component.key) { (value: Value) in value })
    }
  }
}

// MARK: - Actions

extension Component {
  /// Runs with each new instance when everything that was created along with it stands: here a component may ask for
  /// what needs it, so here circular references are closed.
  ///
  /// Nobody else sees the instance before the action has run; if it throws, nothing that was created in this
  /// resolution after it is kept (R6).
  ///
  /// - Parameter action: receives the instance and its container.
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

  /// Runs once with the shared instance when the app is started; see ``ComponentContainer/start()``.
  public func onStart(_ action: @escaping @Sendable (Value) async throws -> Void) -> Component {
    modified { component in
      let earlier = component.start
      component.start = { value in
        try await earlier?(value)
        try await action(value)
      }
    }
  }

  /// Runs when a shared instance is given up: its app is deleted, its component removed, or it is reset.
  ///
  /// Instances that are given up together go in reverse order of creation, and the actions of one component from the last
  /// to the first. An instance that is given up later waits for those whose components need its own, and for its
  /// component's earlier instances, but for nothing else. An action must not await the deletion or a reset of its own
  /// container, which waits for it.
  public func onDelete(_ action: @escaping @Sendable (Value) async -> Void) -> Component {
    modified { component in
      let earlier = component.deletion
      component.deletion = { value in
        await action(value)
        await earlier?(value)
      }
    }
  }

  private func modified(_ change: (inout Component) -> Void) -> Component {
    var copy = self
    change(&copy)
    return copy
  }

  /// The further names of ``automaticAliases()``.
  var aliasCandidates: [ComponentKey] {
    guard hasAutomaticAliases, let name = key.name else { return [] }
    let forms = [name.uppercased(), name.prefix(1).lowercased() + name.dropFirst()]
    return Set(forms).subtracting([name]).sorted().map { ComponentKey(Value.self, named: $0) }
  }
}
