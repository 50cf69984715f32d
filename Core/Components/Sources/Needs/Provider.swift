/// Gives a component's instance when it is asked, not before; always the newest, also after an update or a reset.
public struct Provider<Value: Sendable>: Sendable {
  private let key: ComponentKey
  // Weak, because the container holds the component that holds this provider.
  private let container: WeakContainer
  private let resolve: @Sendable (ComponentContainer) throws -> Value

  init(
    key: ComponentKey, container: WeakContainer,
    get: @escaping @Sendable (ComponentContainer) throws -> Value
  ) {
    self.key = key
    self.container = container
    resolve = get
  }

  /// The instance, created if need be.
  ///
  /// - Throws: ``ComponentError``: as `resolve`, and ``ComponentError/Code/containerDeleted`` when the container
  ///   is gone.
  public func get() throws -> Value {
    guard let container = container.container else { throw ComponentError.containerGone(key) }
    return try resolve(container)
  }
}
