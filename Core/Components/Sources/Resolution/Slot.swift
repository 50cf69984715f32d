/// How the instance of one key or contribution is obtained in one version of the graph. Immutable; the
/// instance is stored in `cell`.
///
/// ``Slot`` is the only conforming type. A slot is used without its type where slots of all types are treated
/// alike. The graph retains its slots, and a slot those that it needs.
@usableFromInline
protocol AnySlot: AnyObject, Sendable {
  /// The key under which the slot is found.
  var key: ComponentKey { get }
  /// The component that provides the instance.
  var component: InstalledComponent { get }
  /// Where the instance is stored.
  var cell: InstanceCell { get }

  /// Whether this is the slot of the instance itself, rather than one that serves it under an additional
  /// type.
  var isSource: Bool { get }
  /// Whether each request creates a new instance.
  var isUnique: Bool { get }
  /// What the creation requests, in this order: the slots that the component's needs were bound to, or the
  /// source of a slot that serves its instance. Empty if every creation throws.
  var needs: [NeededSlot] { get }
  /// How many creations run inside each other when the instance is created.
  var stackUse: StackUse { get }

  /// Creates the instance if it doesn't exist, as a request that wasn't declared as a need. Only for scopes
  /// that keep instances.
  ///
  /// - Returns: whether the instance is kept; see ``ComponentContext/doNotKeepInstance()``.
  /// - Throws: ``ComponentError``.
  @discardableResult func create(_ thread: CurrentThread) throws -> Bool
  /// Waits until the instance exists, or until the calling thread has claimed its creation. Only for scopes
  /// that keep instances within a resolution or longer, not for `.unique`.
  ///
  /// - Throws: ``ComponentError`` if the creation is part of a cycle, or the container was deleted; the error
  ///   of an earlier attempt in the same search.
  func claim(_ thread: CurrentThread) throws -> Claim
  /// Creates an instance that the thread has claimed, as the innermost creation of the thread. Ends the
  /// creation, also if it fails.
  ///
  /// - Parameters:
  ///   - thread: the calling thread.
  ///   - start: when the creation began; `nil` if this isn't recorded.
  /// - Returns: the instance, in a box.
  /// - Throws: ``ComponentError``.
  func createClaimed(_ thread: CurrentThread, since start: ContinuousClock.Instant?) throws
    -> any AnyObject & Sendable
}

/// The result of claiming an instance.
@usableFromInline
enum Claim: Sendable {
  /// The instance exists; in a box.
  case exists(any AnyObject & Sendable)
  /// The calling thread must create it.
  case claimed
}

/// A slot whose instance a creation requests.
@usableFromInline
struct NeededSlot: Sendable {
  let slot: any AnySlot
  /// Whether the creation continues if the instance declines.
  let isOptional: Bool
}

/// The slots whose instances a creation requests, and the stack that this takes. The first slot is stored in
/// place, so a component with one need has no array.
struct NeededSlots: Sendable {
  private var first: NeededSlot?
  private var others: [NeededSlot] = []
  /// The stack use of the creation. That of the slots only, until the slot of the creation adds its own.
  var stackUse = StackUse()

  /// The slots, in the order in which they are requested.
  var all: [NeededSlot] { first.map { [$0] + others } ?? [] }

  /// Adds a slot after the others.
  ///
  /// - Parameters:
  ///   - slot: the slot.
  ///   - isOptional: whether the creation continues if the instance declines.
  mutating func append(_ slot: any AnySlot, isOptional: Bool) {
    stackUse.add(slot)
    let need = NeededSlot(slot: slot, isOptional: isOptional)
    if first == nil { first = need } else { others.append(need) }
  }
}

/// The slot of a key whose type is `Value`.
@usableFromInline
final class Slot<Value: Sendable>: AnySlot {
  @usableFromInline let key: ComponentKey
  @usableFromInline let component: InstalledComponent
  @usableFromInline let cell: InstanceCell
  /// The domain of the container, which readers announce; see `ContainerLife.domain`.
  @usableFromInline let domain: UInt
  /// Creates an instance.
  @usableFromInline let make: Make<Value>
  /// The `onCreate` action.
  @usableFromInline let completion: (@Sendable (Value) throws -> Void)?
  private let neededSlots: NeededSlots
  // These follow each other, without padding between them, because a graph has many slots.
  @usableFromInline let isSource: Bool
  /// Whether each request creates a new instance.
  @usableFromInline let isUnique: Bool
  /// Whether creating an instance is a call of `make` and nothing else: `.unique` without an `onCreate`
  /// action.
  @usableFromInline let makesOnly: Bool
  /// Whether a request creates an instance immediately: `.unique` and not deep. The cell of a deep `.unique`
  /// component may be read like that of other scopes, since it is always empty; so most requests check
  /// nothing but this.
  @usableFromInline let isDirect: Bool
  /// Whether each resolution creates an instance for itself.
  let isGraph: Bool
  /// Whether creating an instance for a resolution is a call of `make` that nothing precedes or follows: a
  /// `.graph` component that isn't deep and has no `onCreate` action.
  @usableFromInline let isPlainGraph: Bool

  /// Creates a slot.
  ///
  /// - Parameters:
  ///   - key: the key under which the slot is found.
  ///   - component: the component that provides the instance.
  ///   - cell: where the instance is stored.
  ///   - source: the slot of the instance itself, if this one serves it under an additional type.
  ///   - needs: what the creation requests; nothing by default. Omit it for a slot with a source, which needs
  ///     that.
  ///   - completion: the `onCreate` action.
  ///   - make: creates an instance.
  init(
    _ key: ComponentKey,
    of component: InstalledComponent,
    cell: InstanceCell,
    source: (any AnySlot)? = nil,
    needs: consuming NeededSlots = NeededSlots(),
    completion: (@Sendable (Value) throws -> Void)? = nil,
    make: Make<Value>
  ) {
    self.key = key
    self.component = component
    self.cell = cell
    isSource = source == nil
    self.completion = completion
    self.make = make
    domain = component.life.domain
    isUnique = component.definition.scope == .unique
    if let source { needs.append(source, isOptional: true) }
    needs.stackUse.add(own: isUnique ? source == nil ? 1 : 0 : 2)
    isDirect = isUnique && !needs.stackUse.isDeep
    isGraph = component.definition.scope == .graph
    isPlainGraph = isGraph && completion == nil && !needs.stackUse.isDeep
    neededSlots = needs
    makesOnly = isUnique && completion == nil
  }

  @usableFromInline var needs: [NeededSlot] { neededSlots.all }
  @usableFromInline var stackUse: StackUse { neededSlots.stackUse }

  @usableFromInline func create(_ thread: CurrentThread) throws -> Bool {
    try thread.resolving(self) {
      _ = try keptValue(thread)
      return thread.keepsInstance(of: component)
    }
  }

  /// Returns the instance for a declared need. Validation has ensured that the request can't lead back here.
  ///
  /// - Parameter thread: the calling thread, which is creating the component that declares the need.
  /// - Throws: ``ComponentError`` with the path. A `.unique` component whose creation has no frame on the
  ///   thread is inserted into it.
  @export(implementation) @inline(__always)
  func value(_ thread: CurrentThread) throws -> Value {
    if makesOnly {
      do { return try make(thread) } catch { throw thread.inserting(self, into: error) }
    }
    return try keptValue(thread)
  }

  /// Returns the instance for a request that wasn't declared as a need, by `resolve` or by a provider. The
  /// outermost request ends the resolution. A published instance is returned without a lock (R7).
  ///
  /// - Throws: ``ComponentError``.
  @export(implementation)
  func request(_ thread: CurrentThread) throws -> Value {
    if !isDirect, !isPlainGraph, let instance = cell.load(Value.self, thread, domain: domain) {
      return instance
    }
    if isPlainGraph, !thread.isCreating, !thread.state.pointee.mustFinish {
      return try outermostGraphValue(thread)
    }
    return try thread.resolving(self) {
      try isDirect ? unique(thread) : isUnique ? deepUnique(thread) : keptValue(thread)
    }
  }

  /// Returns the instance: the published one, or a new one.
  ///
  /// - Throws: ``ComponentError``.
  @export(implementation) func keptValue(_ thread: CurrentThread) throws -> Value {
    if isUnique { return try unique(thread) }
    if isPlainGraph { return try graphValue(thread) }
    if let instance = cell.load(Value.self, thread, domain: domain) { return instance }
    return try createKept(thread)
  }

  /// Returns a new instance of a `.graph` component for the outermost request of a resolution, and ends the
  /// resolution. Nothing can ask for the instance afterwards, so the resolution keeps it only if other
  /// instances wait for their actions.
  ///
  /// - Throws: as ``keptValue(_:)``; what an `onCreate` action throws, wrapped.
  @export(implementation) func outermostGraphValue(_ thread: CurrentThread) throws -> Value {
    try thread.beginNewCreation(self)
    let instance: Value
    do {
      instance = try thread.creating(self) {
        do { return try make(thread) } catch { throw thread.failOwnCreation(self, error) }
      }
    } catch {
      thread.abandon()
      throw error
    }
    guard thread.state.pointee.mustFinish else {
      thread.endNewCreation(self)
      return instance
    }
    thread.endOwnCreation(self, Box(instance))
    try thread.finish()
    return instance
  }

  /// Returns the instance of a `.graph` component: that of the resolution, or a new one.
  ///
  /// - Throws: as ``keptValue(_:)``.
  @export(implementation) func graphValue(_ thread: CurrentThread) throws -> Value {
    if let box = try thread.beginOwnCreation(self) { return Box<Value>.known(box).value }
    return try thread.creating(self) {
      do {
        let instance = try make(thread)
        thread.endOwnCreation(self, Box(instance))
        return instance
      } catch {
        throw thread.failOwnCreation(self, error)
      }
    }
  }

  /// Returns whether the component takes arguments of exactly these types.
  ///
  /// - Parameter types: the types of the arguments.
  @export(implementation) func takes<each Argument>(_ types: repeat (each Argument).Type) -> Bool {
    var count = 0
    for type in repeat each types {
      guard argumentType(at: count) == ObjectIdentifier(type) else { return false }
      count += 1
    }
    return argumentType(at: count) == nil
  }

  /// The type of an argument that the component takes; `nil` if it takes fewer.
  ///
  /// - Parameter index: the position of the argument.
  @usableFromInline func argumentType(at index: Int) -> ObjectIdentifier? {
    let arguments = component.definition.arguments
    return index < arguments.count ? arguments[index].type : nil
  }

  /// Creates an instance of a `.unique` component, with a frame on the thread, so that a request that leads
  /// back to it is detected.
  ///
  /// - Throws: ``ComponentError`` with the path.
  @export(implementation) func unique(_ thread: CurrentThread) throws -> Value {
    try thread.creating(self) {
      do {
        let instance = try make(thread)
        if completion != nil { try addCompletion(of: instance, thread) }
        return instance
      } catch {
        throw thread.wrapped(error, of: self)
      }
    }
  }
}
