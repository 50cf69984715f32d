/// What a component needs, and the form in which it receives it.
///
/// The dependencies of a ``Component`` are exactly the arguments of the closure that creates it, so what is
/// declared and what is used can't drift apart.
public struct Dependency<Value: Sendable>: Sendable {
  let need: Need
  let resolve: @Sendable (ComponentContainer) throws -> Value

  /// The instance of `T`. A container in which nothing provides `T` can't be configured (R2).
  public static func required(_ type: Value.Type, named name: String? = nil) -> Dependency<Value> {
    let key = ComponentKey(type, named: name)
    return Dependency(need: Need(kind: .required, key: key)) { try $0.resolve(key, as: Value.self) }
  }

  /// The instance of `T`, or `nil` when nothing provides it or its provider declines (R3).
  public static func optional<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == T? {
    let key = ComponentKey(type, named: name)
    return Dependency(need: Need(kind: .optional, key: key)) { try $0.resolveIfPresent(key, as: T.self) }
  }

  /// Every contribution to `T`, in the order of the libraries' names; empty when there is none.
  public static func all<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == [T] {
    let key = ComponentKey(type, named: name)
    return Dependency(need: Need(kind: .all, key: key)) { try $0.resolveAll(key, as: T.self) }
  }

  /// A ``Provider`` of `T`, which creates it when it is first asked. It may close a cycle.
  public static func provider<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Provider<T> {
    let key = ComponentKey(type, named: name)
    return Dependency(need: Need(kind: .provider, key: key)) { Provider(key: key, container: $0) }
  }
}

/// A dependency as the graph knows it.
struct Need: Sendable, Hashable {
  struct Kind: Sendable, Hashable, CustomStringConvertible {
    let description: String
    static let required = Kind(description: "required")
    static let optional = Kind(description: "optional")
    static let all = Kind(description: "all")
    static let provider = Kind(description: "provider")
  }

  let kind: Kind
  let key: ComponentKey
}
