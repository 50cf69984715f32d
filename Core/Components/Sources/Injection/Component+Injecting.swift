import TenonBasics

/// What the container sets in objects that can't be changed, or that something else creates: a component
/// declares it, and it applies to each instance that the container creates, and to the objects that are
/// passed to ``ComponentContainer/inject(into:as:named:)``.
extension Component {
  /// Sets a property of each instance, after its creation, to what the container provides.
  ///
  /// ```swift
  /// Component(Car.self) { _ in Car() }
  ///   .injecting(\.engine)
  ///   .injecting(\.spareWheel, named: "spare")
  /// ```
  ///
  /// A property of type `T?` is set to `nil` if nothing provides `T`, and one of type `[T]` to all
  /// contributions. Any other type must be provided, or configuring fails with
  /// ``ConfigurationError/Code/missingDependency`` (R2).
  ///
  /// Injections run before the `onCreate` actions, when everything that was created along with the instance
  /// exists. Two components may therefore be injected into each other. Injections run in the order in which
  /// they were added.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - name: the name of the component that provides the value; none by default.
  /// - Returns: the component with the injection added.
  public func injecting<Property: Sendable>(
    _ property: any ReferenceWritableKeyPath<Value, Property> & Sendable, named name: String? = nil
  ) -> Component {
    injecting(Property.self, named: name) { $0[keyPath: property] = $1 }
  }

  /// Passes what the container provides to a function that sets a property or calls a method of each
  /// instance; otherwise as ``injecting(_:named:)``.
  ///
  /// ```swift
  /// Component(Car.self) { _ in Car() }.injecting((any Engine).self) { car, engine in car.install(engine) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of what is injected: `T`, `T?` or `[T]`.
  ///   - name: the name of the component that provides it; none by default.
  ///   - inject: receives the instance and what is injected.
  /// - Returns: the component with the injection added.
  public func injecting<Injection: Sendable>(
    _ type: Injection.Type, named name: String? = nil,
    _ inject: @escaping @Sendable (Value, Injection) throws -> Void
  ) -> Component {
    let injected = InjectedNeed<Injection>(named: name)
    return adding(.injections, needing: injected.need) { value, container in
      try inject(value, injected.resolve(container))
    }
  }

  /// Passes what the container provides to a function on the main actor, for instances that the main actor
  /// isolates (R12); otherwise as ``injecting(_:named:_:)``.
  ///
  /// ```swift
  /// Component.onMainActor(Panel.self) { _ in Panel() }
  ///   .injectingOnMainActor((any Clock).self) { panel, clock in panel.clock = clock }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of what is injected: `T`, `T?` or `[T]`.
  ///   - name: the name of the component that provides it; none by default.
  ///   - inject: receives the instance and what is injected. Requested elsewhere, the injection throws
  ///     ``ComponentError/Code/notOnMainActor``.
  /// - Returns: the component with the injection added.
  public func injectingOnMainActor<Injection: Sendable>(
    _ type: Injection.Type, named name: String? = nil,
    _ inject: @escaping @MainActor @Sendable (Value, Injection) throws -> Void
  ) -> Component {
    injecting(type, named: name) { [key] value, injection in
      guard MainActor.isCurrent else { throw ComponentError.notOnMainActor(key) }
      try MainActor.assumeIsolated { try inject(value, injection) }
    }
  }

  /// Runs an action with each instance before anything is injected into it. Several actions run in the order
  /// in which they were added.
  ///
  /// - Parameter action: receives the instance.
  /// - Returns: the component with the action added.
  public func beforeInjecting(_ action: @escaping @Sendable (Value) throws -> Void) -> Component {
    adding(.before) { value, _ in try action(value) }
  }

  /// Runs an action with each instance after everything has been injected into it, and before its `onCreate`
  /// actions. Several actions run in the order in which they were added.
  ///
  /// - Parameter action: receives the instance.
  /// - Returns: the component with the action added.
  public func afterInjecting(_ action: @escaping @Sendable (Value) throws -> Void) -> Component {
    adding(.after) { value, _ in try action(value) }
  }
}

/// The phases in which objects are injected into an instance.
enum InjectionPhase: CaseIterable, Sendable {
  /// The hooks that run before all injections.
  case before
  /// The injections.
  case injections
  /// The hooks that run after all injections.
  case after
}

extension Component {
  /// Returns a copy with a further step of injecting, which runs after the other steps of its phase.
  ///
  /// - Parameters:
  ///   - phase: the phase of the step.
  ///   - need: what must or may be provided; `nil` for a hook.
  ///   - step: receives the instance, and the container that provides what is injected.
  private func adding(
    _ phase: InjectionPhase, needing need: Need? = nil,
    _ step: @escaping @Sendable (Value, ComponentContainer) throws -> Void
  ) -> Component {
    modified { component in
      if let need { component.injectedNeeds.append(need) }
      let earlier = component.injection
      component.injection = { value, container, current in
        try earlier?(value, container, current)
        if current == phase { try step(value, container) }
      }
    }
  }

  /// Runs the injections and the hooks around them.
  ///
  /// - Parameters:
  ///   - value: the instance.
  ///   - container: the container that provides the values.
  /// - Throws: what the resolution of a value, an injection or a hook throws.
  func runInjections(into value: Value, from container: ComponentContainer) throws {
    guard let injection else { return }
    for phase in InjectionPhase.allCases { try injection(value, container, phase) }
  }
}

/// What an injection needs, and how it is resolved when it runs. The type of the value determines the form:
/// an optional, all contributions, or what must be provided.
private struct InjectedNeed<Value: Sendable>: Sendable {
  let need: Need
  let resolve: @Sendable (ComponentContainer) throws -> Value

  /// Determines the form of a need, once for each declaration.
  ///
  /// - Parameter name: the name of the key.
  init(named name: String?) {
    let form: (any Sendable)? =
      switch Value.self {
      case let optional as any OptionalType.Type: Self.optional(sendable(optional.wrappedType), name)
      case let array as any ArrayType.Type: Self.all(sendable(array.element), name)
      default: nil
      }
    self =
      form as? Self
      ?? Self(Need(.injected, ComponentKey(Value.self, named: name))) { container in
        try container.resolve(Value.self, named: name)
      }
  }

  private init(_ need: Need, _ resolve: @escaping @Sendable (ComponentContainer) throws -> Value) {
    self.need = need
    self.resolve = resolve
  }

  /// Returns the need for an optional; in a separate function, which opens the metatype.
  private static func optional<Wrapped: Sendable>(_ type: Wrapped.Type, _ name: String?) -> any Sendable {
    InjectedNeed<Wrapped?>(Need(.optionalInjected, ComponentKey(type, named: name))) { container in
      try container.resolveIfPresent(type, named: name)
    }
  }

  /// Returns the need for all contributions; in a separate function, which opens the metatype.
  private static func all<Element: Sendable>(_ type: Element.Type, _ name: String?) -> any Sendable {
    InjectedNeed<[Element]>(Need(.allInjected, ComponentKey(type, named: name))) { container in
      try container.resolveAll(type, named: name)
    }
  }
}
