extension ComponentContainer {
  /// The container of the current task, set by ``withCurrent(_:isolation:operation:)``.
  @TaskLocal static var current: ComponentContainer?

  /// Runs an operation in which ``Injected`` properties take their values from a container. This applies to
  /// the current task and its child tasks.
  ///
  /// - Parameters:
  ///   - container: the container.
  ///   - isolation: the actor on which the operation runs; the caller's by default.
  ///   - operation: the operation.
  /// - Returns: what the operation returns.
  /// - Throws: what the operation throws.
  public static func withCurrent<Result>(
    _ container: ComponentContainer,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(container, operation: operation)
  }

  /// Runs a synchronous operation in which ``Injected`` properties take their values from a container.
  ///
  /// - Parameters:
  ///   - container: the container.
  ///   - operation: the operation.
  /// - Returns: what the operation returns.
  /// - Throws: what the operation throws.
  public static func withCurrent<Result>(
    _ container: ComponentContainer, operation: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(container, operation: operation)
  }

  /// Sets the ``Injected`` properties of an object that the container didn't create, including those of its
  /// superclasses.
  ///
  /// A property without an explicit name receives the component of its type that has the property's name, if
  /// there is one, and otherwise the component without a name. Properties that already have a value keep it.
  ///
  /// - Parameters:
  ///   - object: the object; its properties may be private.
  ///   - excluded: the names of properties to skip, in addition to those that ``InjectionExcluding`` names.
  /// - Throws: ``ComponentError`` if a property can't be set, in which case none is.
  /// - Complexity: O(*n*) in the number of the object's stored properties, in addition to resolving the
  ///   values.
  public func inject(into object: Any, excluding excluded: Set<String> = []) throws {
    var injections: [() -> Void] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    var excluded = excluded
    while let current = mirror {
      if let type = current.subjectType as? any InjectionExcluding.Type {
        excluded.formUnion(type.propertiesNotInjected)
      }
      for case (let label?, let property as any InjectedProperty) in current.children {
        // The compiler names the storage of a wrapper `_name`.
        let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
        guard !excluded.contains(name) else { continue }
        if let injection = try property.injection(from: self, property: name) { injections.append(injection) }
      }
      mirror = current.superclassMirror
    }
    for injection in injections { injection() }
  }

  /// Applies the injections of a component to an object that the container didn't create, with the hooks
  /// around them; see ``Component/injecting(_:named:)``.
  ///
  /// ```swift
  /// try container.inject(into: car, as: Car.self)
  /// ```
  ///
  /// The values are those of one resolution: injections of one `.graph` component receive the same instance.
  /// The component doesn't create an instance, and its `onCreate` actions don't run. If it is a decorator, the
  /// injections of what it decorates are applied before its own.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - type: a type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  /// - Throws: ``ComponentError`` if nothing provides the type, if a value can't be resolved, or, with the
  ///   code ``ComponentError/Code/creationFailed``, if a hook or an injection throws or the object isn't of
  ///   the type that the component creates. What has been injected before stays injected.
  public func inject<Value: Sendable>(
    into object: Value, as type: Value.Type, named name: String? = nil
  ) throws {
    let key = ComponentKey(type, named: name)
    let thread = CurrentThread.current
    guard let slot = try slot(key, thread) else { throw missing(key, thread) }
    let decorated = try overridden.wiring(for: thread).decorated(by: slot.component, under: key)
    try thread.completing(slot) {
      for component in decorated { _ = try component.definition.typed.inject(into: object, from: self) }
      let isOfItsType = try slot.component.definition.typed.inject(into: object, from: self)
      guard isOfItsType else { throw ComponentError.notInjectable(key, as: slot.component.key) }
    }
  }

  /// Returns whether a component serves a key. Adopts libraries that have been loaded.
  ///
  /// - Parameter key: the key.
  /// - Returns: `false` also if the container was deleted. `true` doesn't mean that an instance exists or can
  ///   be created.
  func provides(_ key: ComponentKey) -> Bool {
    (try? slot(key, .current)) != nil
  }
}

/// A type some of whose ``Injected`` properties ``ComponentContainer/inject(into:excluding:)`` skips.
public protocol InjectionExcluding {
  /// The names of the properties. A subclass that overrides this must repeat those of its superclass.
  static var propertiesNotInjected: Set<String> { get }
}
