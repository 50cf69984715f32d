/// Where the instance of one key, or of one contribution, is made and kept.
protocol AnySlot: AnyObject, Sendable {
  var component: ComponentDefinition.ID { get }
  var key: ComponentKey { get }
  var scope: Scope { get }
  /// Whether this slot makes the instance; others serve it under a further type.
  var isSource: Bool { get }

  /// Makes the instance, if it isn't there.
  func create(in container: ComponentContainer) throws

  /// Takes the published instance away. The caller drains the gate before it lets go of the result.
  func unpublish() -> RetiredInstance?
}

/// A shared instance that nobody can resolve any more.
struct RetiredInstance: Sendable {
  let component: ComponentDefinition.ID
  /// What to run before it is released.
  let delete: @Sendable () async -> Void
}

/// The slot of a key whose type is `Value`.
final class Slot<Value: Sendable>: AnySlot {
  let component: ComponentDefinition.ID
  let key: ComponentKey
  let scope: Scope
  let isSource: Bool
  let make: @Sendable (ComponentContainer) throws -> Value
  let cell = InstanceCell<Value>()
  /// The instance of a `.weak` component while somebody else holds it.
  let weakInstance = Lock(WeakReference())
  private let deletion: (@Sendable (Value) async -> Void)?

  init(
    component: ComponentDefinition.ID,
    key: ComponentKey,
    scope: Scope,
    isSource: Bool = false,
    deletion: (@Sendable (Value) async -> Void)? = nil,
    make: @escaping @Sendable (ComponentContainer) throws -> Value
  ) {
    self.component = component
    self.key = key
    self.scope = scope
    self.isSource = isSource
    self.deletion = deletion
    self.make = make
  }

  func create(in container: ComponentContainer) throws { _ = try container.value(of: self) }

  func unpublish() -> RetiredInstance? {
    guard let box = cell.unpublish() else { return nil }
    let deletion = deletion
    return RetiredInstance(component: component) { await deletion?(box.value) }
  }
}

/// Holds an object without keeping it alive.
struct WeakReference {
  weak var object: AnyObject?
}
