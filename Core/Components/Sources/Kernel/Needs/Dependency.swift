/// What a component needs, and the form in which it receives it.
///
/// The dependencies of a ``Component`` are exactly the arguments of the closure that creates it, so what is
/// declared and what is used can't drift apart.
public struct Dependency<Value: Sendable>: Sendable {
  @usableFromInline let need: Need
  /// Finds once what is needed, and gives what fetches it for a creation.
  @usableFromInline let bind: @Sendable (WiringBuilder) -> Fetch<Value>

  @usableFromInline
  init(_ need: Need, bind: @escaping @Sendable (WiringBuilder) -> Fetch<Value>) {
    self.need = need
    self.bind = bind
  }

  /// The instance of `T`. A container in which nothing provides `T` can't be configured (R2).
  @inlinable
  public static func required(_ type: Value.Type, named name: String? = nil) -> Dependency<Value> {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.required, key)) { builder in
      guard let slot = builder.slot(key, as: Value.self) else { return .made(Need.unmet(key)) }
      return .slot(slot)
    }
  }

  /// The instance of `T`, or `nil` when nothing provides it or its provider declines (R3).
  @inlinable
  public static func optional<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == T? {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.optional, key)) { builder in
      guard let slot = builder.slot(key, as: T.self) else { return .made(Make { _ in nil }) }
      return .made(Make { thread in try slot.valueUnlessDeclined(thread) })
    }
  }

  /// Every contribution to `T`, in the order of the libraries' names; empty when there is none.
  public static func all<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == [T] {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.all, key)) { builder in
      let slots = builder.contributions(to: key).map { $0.typed(T.self) }
      return .made(Make { thread in try slots.compactMap { try $0.valueUnlessDeclined(thread) } })
    }
  }

  /// A ``Provider`` of `T`, which creates it when it is first asked. It may close a cycle.
  public static func provider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<T> {
    .provider(.provider, ComponentKey(type, named: name)) { try $0.resolve(type, named: name) }
  }

  /// A ``Provider`` of `T?`, which gives `nil` as long as nothing provides `T`.
  public static func optionalProvider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<T?> {
    .provider(.optionalProvider, ComponentKey(type, named: name)) {
      try $0.resolveIfPresent(type, named: name)
    }
  }

  /// A ``Provider`` of every contribution to `T` that there is when it is asked.
  public static func allProvider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<[T]> {
    .provider(.allProvider, ComponentKey(type, named: name)) { try $0.resolveAll(type, named: name) }
  }

  private static func provider<Provided>(
    _ kind: Need.Kind, _ key: ComponentKey, _ get: @escaping @Sendable (ComponentContainer) throws -> Provided
  ) -> Dependency where Value == Provider<Provided> {
    Dependency(Need(kind, key)) { builder in
      let provider = Provider(key: key, container: builder.container, get: get)
      return .made(Make { _ in provider })
    }
  }
}
