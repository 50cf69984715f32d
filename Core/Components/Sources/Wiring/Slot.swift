/// Makes an instance for the calling thread.
@usableFromInline typealias Make<Value> = @Sendable (CurrentThread) throws -> Value

/// How the instance of one key, or of one contribution, is made in one version of the graph.
@usableFromInline
protocol AnySlot: AnyObject, Sendable {
  var key: ComponentKey { get }
  var component: InstalledComponent { get }
  var anyCell: any AnyCell { get }

  /// Makes the instance, if it isn't there.
  func create(_ thread: CurrentThread) throws
}

/// The slot of a key whose type is `Value`.
@usableFromInline
final class Slot<Value: Sendable>: AnySlot {
  @usableFromInline let key: ComponentKey
  @usableFromInline let component: InstalledComponent
  @usableFromInline let cell: InstanceCell<Value>
  @usableFromInline let domain: UInt
  /// Whether each request makes a new instance.
  @usableFromInline let isUnique: Bool
  @usableFromInline let make: Make<Value>
  /// Whether the instance is made here; other slots serve it under further types.
  let isSource: Bool
  /// What runs when everything that was made along with the instance stands.
  let completion: (@Sendable (Value) throws -> Void)?
  @usableFromInline let hasCompletion: Bool

  init(
    _ key: ComponentKey,
    of component: InstalledComponent,
    cell: InstanceCell<Value>,
    isSource: Bool = false,
    completion: (@Sendable (Value) throws -> Void)? = nil,
    make: @escaping Make<Value>
  ) {
    self.key = key
    self.component = component
    self.cell = cell
    self.isSource = isSource
    self.completion = completion
    self.make = make
    hasCompletion = completion != nil
    domain = component.life.domain
    isUnique = component.definition.scope == .unique
  }

  @usableFromInline var anyCell: any AnyCell { cell }

  @usableFromInline func create(_ thread: CurrentThread) throws { _ = try value(thread) }

  /// The instance, for a need that was declared: validation has seen to it that it can't lead back here.
  @inlinable func value(_ thread: CurrentThread) throws -> Value {
    if isUnique { return try createUnique(thread) }
    if let instance = cell.load(thread, domain: domain) { return instance }
    return try createKept(thread)
  }

  /// The instance, for a request that nobody declared: by `resolve` or by a provider.
  @inlinable func request(_ thread: CurrentThread) throws -> Value {
    if thread.isCreating { try thread.checkCycle(self) }
    return try value(thread)
  }

  @inlinable func createUnique(_ thread: CurrentThread) throws -> Value {
    thread.push(self)
    let instance: Value
    do { instance = try make(thread) } catch { throw thread.popFailed(self, error) }
    if hasCompletion {
      do { try addCompletion(of: instance, thread) } catch { throw thread.popFailed(self, error) }
    }
    try thread.pop()
    return instance
  }
}
