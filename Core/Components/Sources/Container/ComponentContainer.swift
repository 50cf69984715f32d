import Synchronization

/// Creates components, keeps their instances and hands them out.
///
/// A container belongs to an ``App``, or stands alone as the container of a program:
///
/// ```swift
/// let container = try ComponentContainer {
///   Component((any Clock).self) { _ in SystemClock() }
///   Component(Greeter.self, needs: .required((any Clock).self)) { _, clock in Greeter(clock: clock) }
/// }
/// let greeter = try container.resolve(Greeter.self)
/// ```
public final class ComponentContainer: Sendable {
  /// The graph that is in force.
  @usableFromInline let wiring = AtomicReference<Wiring>()
  @usableFromInline let domain: UInt
  /// The container's name in errors and graphs; `nil` for one without.
  public let name: String?
  /// The container that this one was made from by ``child(named:_:)``.
  public let parent: ComponentContainer?
  let life: ContainerLife
  /// Lets one update after the other through, in a container with all its children.
  let updates: UpdateLock
  let children = Lock<[WeakContainer]>([])
  let deferredRequests = Lock(DeferredRequests())
  let handles = Lock(HandleList())
  let deletion = Lock<Task<Void, Never>?>(nil)
  let starts = Turns()
  /// Takes libraries over that are loaded later; `nil` in a container that doesn't.
  let adoption: LibraryAdoption?
  /// What a child refuses to create.
  let refusal: RefusalPolicy?
  /// Whether it stands in for its parent while overrides are in force; so do its children.
  let isStandIn: Bool

  private static let domains = Atomic<UInt>(0)

  /// A container that stands alone. Its eager components are created before this returns.
  ///
  /// - Parameters:
  ///   - name: a name for errors; none by default.
  ///   - components: what it provides.
  /// - Throws: ``ConfigurationError`` with every problem of the graph (R2); nothing has been created then.
  ///   ``ComponentError`` when an eager component can't be created. What a ``ComponentSource`` throws.
  public convenience init(
    named name: String? = nil,
    @ComponentBuilder _ components: () throws -> [AnyComponent]
  ) throws {
    let definitions = try components().map { OwnedDefinition(library: nil, definition: $0.definition) }
    try self.init(definitions, name: name)
  }

  /// - Parameters:
  ///   - app: the app that the container belongs to.
  ///   - parent: the container whose components it hands out as well.
  init(
    _ definitions: [OwnedDefinition], name: String? = nil, app: AppContext? = nil,
    parent: ComponentContainer? = nil, refusal: RefusalPolicy? = nil, isStandIn: Bool = false,
    adoption: LibraryAdoption? = nil
  ) throws {
    self.name = name
    self.parent = parent
    self.refusal = refusal
    self.adoption = adoption
    self.isStandIn = isStandIn || parent?.isStandIn ?? false
    domain = parent?.domain ?? Self.domains.wrappingAdd(1, ordering: .relaxed).newValue
    updates = parent?.updates ?? UpdateLock()
    let owner =
      app.map { "the app \"\($0.name)\"" } ?? name.map { "the container \"\($0)\"" } ?? "the container"
    life = ContainerLife(owner: owner, app: app ?? parent?.life.app, domain: domain)
    let graph = try plan(definitions.map(GraphNode.init), parent: parent?.currentWiring)
    _ = wiring.exchange(graph)
    try createEagerInstances(graph.own) {
      // What was created before must not outlive the failed configuration.
      Task { await self.delete() }
    }
  }

  deinit {
    for answer in deferredRequests.withLock({ requests in requests.take { _ in true } }) { answer(nil) }
  }

  /// The graph that is in force, retained.
  var currentWiring: Wiring {
    let thread = CurrentThread.current
    let reads = thread.enter(domain)
    defer { thread.leave(reads) }
    return wiring.borrow { $0 } ?? .empty
  }

  func createEagerInstances(_ members: [Wiring.Member], ifOneFails: () -> Void) throws {
    let isDefaultApp = life.app?.isDefault ?? true
    // In the order in which they were declared, each after what it needs.
    for member in members where member.origin == nil {
      let timing = member.component.definition.timing
      guard timing == .eager || (timing == .eagerInDefaultApp && isDefaultApp) else { continue }
      do {
        try member.slots.source.create(.current)
      } catch {
        ifOneFails()
        throw error
      }
    }
  }
}

/// Guards the changes of a container's graph. The thread that is inside may enter again: what an update creates may make
/// a child.
final class UpdateLock: Sendable {
  // Not empty: ThreadSanitizer can't tell an empty value from the lock around it.
  private let lock = Lock(true)
  /// The address of the state of the thread that is inside; 0 when there is none.
  private let owner = Atomic<UInt>(0)

  func withLock<Result>(_ body: () throws -> sending Result) rethrows -> sending Result {
    let thread = UInt(bitPattern: CurrentThread.current.state)
    if owner.load(ordering: .relaxed) == thread { return try body() }
    return try lock.withLock { _ in
      owner.store(thread, ordering: .relaxed)
      defer { owner.store(0, ordering: .relaxed) }
      return try body()
    }
  }
}
