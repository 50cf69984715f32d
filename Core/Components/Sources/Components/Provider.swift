/// Gives a component's instance when it is asked, not before.
public struct Provider<Value: Sendable>: Sendable {
  private let key: ComponentKey
  // Weak, because the container holds the component that holds this provider.
  private weak let container: ComponentContainer?

  init(key: ComponentKey, container: ComponentContainer) {
    self.key = key
    self.container = container
  }

  /// The instance, created if need be.
  ///
  /// - Throws: ``ComponentError``: as `resolve`, and ``ComponentError/Code/containerDeleted`` when the container
  ///   is gone.
  public func get() throws -> Value {
    guard let container else { throw ComponentError.containerGone(key) }
    return try container.resolve(key, as: Value.self)
  }
}
