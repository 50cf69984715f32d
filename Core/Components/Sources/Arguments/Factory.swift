/// Creates a new instance of a component with arguments, each time it is called.
///
/// ```swift
/// Component(Chat.self, needs: .factory(Session.self, taking: String.self)) { _, makeSession in
///   Chat { user in try makeSession(user) }
/// }
/// ```
///
/// A factory may be called on any thread. It doesn't keep its container alive.
public struct Factory<Value: Sendable, each Argument: Sendable>: Sendable {
  /// The key of the component.
  private let key: ComponentKey
  /// The container of the component that needs the factory.
  private let container: WeakContainer

  /// Creates the value of a factory need.
  ///
  /// - Parameters:
  ///   - key: the key of the component whose instances it creates.
  ///   - container: the container of the component that needs it.
  @usableFromInline init(key: ComponentKey, container: WeakContainer) {
    self.key = key
    self.container = container
  }

  /// Creates an instance.
  ///
  /// - Parameter arguments: the arguments of the component, in the order of its declaration.
  /// - Returns: a new instance, which the container doesn't keep.
  /// - Throws: ``ComponentError`` as ``ComponentContainer/resolve(_:named:arguments:)``, and with the code
  ///   ``ComponentError/Code/containerDeleted`` if the container has been deallocated.
  public func callAsFunction(_ arguments: repeat each Argument) throws -> Value {
    guard let container = container.container else { throw ComponentError.containerGone(key) }
    return try container.resolve(Value.self, named: key.name, arguments: repeat each arguments)
  }
}

extension Factory: NeedForm {
  static func dependency(named name: String?) -> any Sendable {
    Dependency<Factory<Value, repeat each Argument>>.factory(
      Value.self, taking: repeat (each Argument).self, named: name)
  }
}
