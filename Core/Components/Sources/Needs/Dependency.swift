/// What a component needs, and the form in which its creation receives it.
///
/// The dependencies of a ``Component`` are exactly the parameters of the closure that creates it, so the
/// declaration can't differ from the use.
public struct Dependency<Value: Sendable>: Sendable {
  /// The dependency as the graph sees it.
  @usableFromInline let need: Need
  /// Looks up the provider once, when the graph is built, and returns what fetches the value for each
  /// creation. It doesn't create anything.
  @usableFromInline let bind: @Sendable (WiringBuilder) -> Fetch<Value>

  /// Creates a dependency.
  ///
  /// - Parameters:
  ///   - need: the dependency as the graph sees it.
  ///   - bind: called once for each graph that contains the component; see ``bind``.
  @usableFromInline
  init(_ need: Need, bind: @escaping @Sendable (WiringBuilder) -> Fetch<Value>) {
    self.need = need
    self.bind = bind
  }

  /// Needs the instance of a type.
  ///
  /// If nothing provides it, configuring fails with ``ConfigurationError/Code/missingDependency`` (R2).
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  @export(implementation)
  public static func required(_ type: Value.Type, named name: String? = nil) -> Dependency<Value> {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.required, key)) { builder in
      guard let slot = builder.slot(key, as: Value.self) else { return .made(Need.unmet(key)) }
      return .slot(slot)
    }
  }

  /// Needs the instance of a type, or `nil` if nothing provides it or its provider declines (R3).
  ///
  /// If the provider fails otherwise, the creation fails as well.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  @export(implementation)
  public static func optional<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == T? {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.optional, key)) { builder in
      guard let slot = builder.slot(key, as: T.self, isOptional: true) else {
        return .made(Make { _ in nil })
      }
      return .made(Make { thread in try slot.valueUnlessDeclined(thread) })
    }
  }

  /// Needs every contribution to a type.
  ///
  /// The values are ordered by the names of their libraries, and within a library by declaration.
  /// Contributions that decline are left out; without any, the array is empty.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  public static func all<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == [T] {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.all, key)) { builder in
      let slots = builder.contributions(to: key).map { $0.typed(T.self) }
      return .made(Make { thread in try slots.compactMap { try $0.valueUnlessDeclined(thread) } })
    }
  }

  /// Needs a ``Provider`` of a type, which creates the instance when it is first called. It may close a
  /// cycle.
  ///
  /// If nothing provides the type, configuring fails (R2).
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  public static func provider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<T> {
    .provider(.provider, ComponentKey(type, named: name)) { try $0.resolve(type, named: name) }
  }

  /// Needs a ``Provider`` of an optional, which returns `nil` while nothing provides the type.
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  public static func optionalProvider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<T?> {
    .provider(.optionalProvider, ComponentKey(type, named: name)) {
      try $0.resolveIfPresent(type, named: name)
    }
  }

  /// Needs a ``Provider`` of every contribution to a type, as of the time of each call.
  ///
  /// - Parameters:
  ///   - type: the type that is collected.
  ///   - name: the name under which it is collected; none by default.
  public static func allProvider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<[T]> {
    .provider(.allProvider, ComponentKey(type, named: name)) { try $0.resolveAll(type, named: name) }
  }

  /// Returns the need for a provider, which calls `get` with its container.
  ///
  /// - Parameters:
  ///   - kind: the form of the need.
  ///   - key: the key of the provider.
  ///   - get: requests the value. Called at each use of the provider for which no cached instance exists.
  private static func provider<Provided>(
    _ kind: Need.Kind, _ key: ComponentKey, _ get: @escaping @Sendable (ComponentContainer) throws -> Provided
  ) -> Dependency where Value == Provider<Provided> {
    Dependency(Need(kind, key)) { builder in
      let provider = Provider(key: key, container: builder.container, get: get)
      return .made(Make { _ in provider })
    }
  }
}
