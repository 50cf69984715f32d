extension ComponentContainer {
  /// The container of the present task, set by ``withCurrent(_:isolation:operation:)``.
  @TaskLocal static var current: ComponentContainer?

  /// Runs `operation` with a container from which ``Injected`` properties get their values, in this task and its
  /// children.
  public static func withCurrent<Result>(
    _ container: ComponentContainer,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $current.withValue(container, operation: operation)
  }

  /// Runs `operation` with a container from which ``Injected`` properties get their values.
  public static func withCurrent<Result>(
    _ container: ComponentContainer, operation: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(container, operation: operation)
  }

  /// Fills the ``Injected`` properties of an object that was made elsewhere, also those of its superclasses, and touches
  /// nothing else.
  ///
  /// A property without a given name receives the component of its type that bears the property's name, if there is one,
  /// otherwise the one without a name. Properties that have a value keep it.
  ///
  /// - Parameters:
  ///   - object: what to fill; its properties may be private.
  ///   - excluded: names of properties to leave alone, besides those that ``InjectionExcluding`` names.
  /// - Throws: ``ComponentError`` when a property can't be filled; none is filled then.
  public func inject(into object: Any, excluding excluded: Set<String> = []) throws {
    var injections: [() -> Void] = []
    var mirror: Mirror? = Mirror(reflecting: object)
    var excluded = excluded
    while let current = mirror {
      if let type = current.subjectType as? any InjectionExcluding.Type {
        excluded.formUnion(type.propertiesNotInjected)
      }
      for case (let label?, let property as any InjectedProperty) in current.children {
        // The compiler names a wrapper `_name`.
        let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
        guard !excluded.contains(name) else { continue }
        if let injection = try property.injection(from: self, property: name) { injections.append(injection) }
      }
      mirror = current.superclassMirror
    }
    for injection in injections { injection() }
  }

  /// Whether a component serves a key.
  func provides(_ key: ComponentKey) -> Bool {
    (try? slot(key, .current)) != nil
  }
}

/// A type some of whose ``Injected`` properties ``ComponentContainer/inject(into:excluding:)`` leaves alone.
public protocol InjectionExcluding {
  /// The names of the properties. A subclass that overrides this names those of its superclass again.
  static var propertiesNotInjected: Set<String> { get }
}
