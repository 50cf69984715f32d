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

  /// Sets how long an instance is used. The default is ``Scope/shared``.
  public func scope(_ scope: Scope) -> Component {
    modified { $0.scope = scope }
  }

  /// Sets when a shared instance is created. The default is ``InstantiationTiming/lazy``.
  public func timing(_ timing: InstantiationTiming) -> Component {
    modified { $0.timing = timing }
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
      component.contributions.append(Service(component.key) { $0 })
    }
  }

  /// Runs when the app is deleted, with each shared instance that was created, in reverse order of creation.
  public func onDelete(_ action: @escaping @Sendable (Value) async -> Void) -> Component {
    modified { $0.deletion = action }
  }

  private func modified(_ change: (inout Component) -> Void) -> Component {
    var copy = self
    change(&copy)
    return copy
  }
}

extension Service {
  init<Interface: Sendable>(_ key: ComponentKey, _ view: @escaping @Sendable (Value) throws -> Interface) {
    self.init(key: key) { component, source in
      Slot<Interface>(component: component, key: key, scope: source.scope) { container in
        do {
          return try view(try container.value(of: source))
        } catch let error as ComponentError where error.declines(source.key) {
          // The instance declines, and so does every type it is served under.
          throw ComponentUnavailable(error.reason)
        }
      }
    }
  }
}
