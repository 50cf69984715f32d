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
  /// Shared by a container with all its children.
  let family: ContainerFamily
  /// What features keep with the container.
  let features = FeatureStates()
  /// What remembers where this container keeps an instance.
  let followers = Lock(FollowerList())
  let deletion = Lock<Task<Void, Never>?>(nil)
  let starts = Turns()
  /// Decides what a child may create.
  let refusal: RefusalRule?
  /// Whether it stands in for its parent while overrides are in force; so do its children.
  let isStandIn: Bool

  private static let domains = Atomic<UInt>(0)

  /// Returns why a component may not be created, or `nil` if it may.
  typealias RefusalRule = @Sendable (AnyComponent) -> WiringBuilder.Refusal?

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
    try self.init(components().map { GraphNode($0) }, name: name)
    try createEagerInstances()
  }

  /// A container that hasn't created its eager components. This runs nothing of its components, and so it may be called
  /// under the lock of a family.
  ///
  /// - Parameters:
  ///   - app: the app that the container belongs to.
  ///   - parent: the container whose components it hands out as well.
  init(
    _ nodes: [GraphNode], name: String?, app: AppContext? = nil,
    parent: ComponentContainer? = nil, refusal: RefusalRule? = nil, isStandIn: Bool = false
  ) throws {
    self.name = name
    self.parent = parent
    self.refusal = refusal
    self.isStandIn = isStandIn || parent?.isStandIn ?? false
    // Odd, unlike the addresses of instances; see `ThreadState.held`.
    domain = parent?.domain ?? Self.domains.wrappingAdd(2, ordering: .relaxed).newValue | 1
    family = parent?.family ?? ContainerFamily()
    let owner = app.map { ContainerOwner.app($0.name) } ?? .none(name: name)
    life = ContainerLife(owner: owner, app: app ?? parent?.life.app, domain: domain)
    let graph = try plan(nodes, over: parent?.currentWiring)
    _ = wiring.exchange(graph)
  }

  deinit {
    if let parent { Features.childEnded(ObjectIdentifier(self), of: parent) }
    // Providers outlive the container where what it created does.
    followers.withLock { $0.live }.forEach { $0.follow(.empty) }
    Features.endDeferred(in: self, isGone: true)
  }

  /// The graph that is in force, retained.
  var currentWiring: Wiring {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: wiring.borrow { $0 }) ?? .empty
  }

  /// Creates the eager components of a new container.
  func createEagerInstances() throws {
    do {
      try createEagerInstances(of: currentWiring)
    } catch {
      // What was created before must not outlive the failed configuration.
      Task { await self.delete() }
      throw error
    }
  }

  /// Creates the eager components of a graph, in the order in which they were declared, each after what it needs.
  ///
  /// - Parameter isNew: whether a component of the graph is meant.
  func createEagerInstances(
    of wiring: Wiring, where isNew: (InstalledComponent) -> Bool = { _ in true }
  ) throws {
    let isDefaultApp = life.app?.isDefault ?? true
    // By index: copying a node counts up what it refers to.
    for index in wiring.own.indices {
      let timing = wiring.own[index].definition.timing
      guard timing == .eager || (timing == .eagerInDefaultApp && isDefaultApp) else { continue }
      let source = wiring.source(at: index)
      guard !wiring.own[index].isStandIn, isNew(source.component) else { continue }
      try source.create(.current)
    }
  }
}
