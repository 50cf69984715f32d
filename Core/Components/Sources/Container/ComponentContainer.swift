import Synchronization
import TenonBasics

/// A dependency injection container: creates components, keeps their instances and returns them.
///
/// A container belongs to an ``App``, or is the container of a program without one:
///
/// ```swift
/// let container = try ComponentContainer {
///   Component((any Clock).self) { _ in SystemClock() }
///   Component((any Greeter).self, needs: .required((any Clock).self)) { _, clock in
///     PoliteGreeter(clock: clock)
///   }
/// }
/// let greeter = try container.resolve((any Greeter).self)
/// ```
///
/// A container can be used from any thread. It exists as long as it is referenced; call ``delete()`` to run
/// the `onDelete` actions of its instances.
public final class ComponentContainer: Sendable {
  /// The current version of the graph.
  @usableFromInline let wiring = AtomicReference<Wiring>()
  /// Identifies the reads of this container and its children; see `ThreadState.held`. Always odd.
  @usableFromInline let domain: UInt
  /// The container's name in errors and graphs; `nil` if it has none.
  public let name: String?
  /// The container from which this child was created; `nil` for a container that isn't a child.
  public let parent: ComponentContainer?
  /// The state of the container's instances.
  let life: ContainerLife
  /// What a container shares with all its children.
  let family: ContainerFamily
  /// The children of this container.
  let children = Lock(Children())
  /// The requests for deferred needs that haven't been answered. The answers are called outside the lock,
  /// because they run code of components.
  let deferred = Lock(DeferredRequests())
  /// What adopts libraries that are loaded later; `nil` in a container that doesn't adopt any: one without an
  /// app, a child, or that of an app with a list of libraries.
  let adoption: LibraryAdoption?
  /// The objects that cache in which cells this container keeps instances.
  let followers = Lock(FollowerList())
  /// The deletion, once it has begun.
  let deletion = Lock<Task<Void, Never>?>(nil)
  /// Serializes the calls of ``start()``.
  let starts = Turns()
  /// Decides which components of its parent a child may create; `nil` allows all.
  let refusal: RefusalRule?
  /// Whether the container answers requests to its parent while overrides are in effect, as do its children.
  let isStandIn: Bool

  /// The number of the last domain that was assigned.
  private static let domains = Atomic<UInt>(0)

  /// Returns an error factory for a component that may not be created, or `nil` for one that may.
  typealias RefusalRule = @Sendable (AnyComponent) -> WiringBuilder.Refusal?

  /// Creates a container without an app, and its eager components.
  ///
  /// - Parameters:
  ///   - name: a name for errors; none by default.
  ///   - components: what the container provides.
  /// - Throws: ``ConfigurationError`` with every problem of the graph (R2), in which case nothing has been
  ///   created; ``ComponentError`` if an eager component can't be created; what a ``ComponentSource`` throws.
  /// - Complexity: O(*n*) in the number of components and needs.
  public convenience init(
    named name: String? = nil,
    @ComponentBuilder _ components: () throws -> [AnyComponent]
  ) throws {
    try self.init(components().map { GraphNode($0) }, name: name)
    try createEagerInstances()
  }

  /// Creates a container without its eager components. This runs no code of a component, so it may be called
  /// under the lock of a family.
  ///
  /// - Parameters:
  ///   - nodes: the components, in order of declaration.
  ///   - name: the container's name.
  ///   - app: the app that the container belongs to.
  ///   - adoption: what adopts libraries that are loaded later.
  ///   - parent: the container whose components this one inherits and can override.
  ///   - refusal: decides which of the parent's components this container may create.
  ///   - isStandIn: whether the container answers requests to its parent.
  /// - Throws: ``ConfigurationError`` with every problem of the graph.
  init(
    _ nodes: [GraphNode], name: String?, app: AppContext? = nil, adoption: LibraryAdoption? = nil,
    parent: ComponentContainer? = nil, refusal: RefusalRule? = nil, isStandIn: Bool = false
  ) throws {
    self.name = name
    self.parent = parent
    self.refusal = refusal
    self.adoption = adoption
    self.isStandIn = isStandIn || parent?.isStandIn ?? false
    // Odd, to be distinguishable from the addresses of instances; see `ThreadState.held`.
    domain = parent?.domain ?? Self.domains.wrappingAdd(2, ordering: .relaxed).newValue | 1
    family = parent?.family ?? ContainerFamily()
    let owner = app.map { ContainerOwner.app($0.name) } ?? .none(name: name)
    life = ContainerLife(owner: owner, app: app ?? parent?.life.app, domain: domain)
    let graph = try plan(nodes, over: parent?.currentWiring)
    _ = wiring.exchange(graph)
  }

  deinit {
    parent?.children.withLock { $0.remove(ObjectIdentifier(self)) }
    // A provider may outlive the container if the instance that holds it does.
    followers.withLock { $0.live }.forEach { $0.follow(.empty) }
    endDeferred(isGone: true)
  }

  /// The current version of the graph, retained; an empty one after deletion.
  var currentWiring: Wiring {
    let thread = CurrentThread.current
    let reading = thread.enter(domain)
    return thread.leave(reading, returning: wiring.borrow { $0 }) ?? .empty
  }

  /// Creates the eager components of a new container. If one fails, the container is deleted in another task.
  ///
  /// - Throws: ``ComponentError`` of the component that failed.
  func createEagerInstances() throws {
    do {
      try createEagerInstances(of: currentWiring)
    } catch {
      // Instances that were created before must not outlive the failed configuration.
      Task { await self.delete() }
      throw error
    }
  }

  /// Creates the eager components of a graph in dependency order, and in order of declaration where the
  /// dependencies leave a choice.
  ///
  /// - Parameters:
  ///   - wiring: the graph.
  ///   - isNew: returns whether a component is to be considered; all are by default.
  /// - Throws: ``ComponentError`` of the first component that fails. Those created before remain.
  func createEagerInstances(
    of wiring: Wiring, where isNew: (InstalledComponent) -> Bool = { _ in true }
  ) throws {
    let isDefaultApp = life.app?.isDefault ?? true
    // By index: copying a node retains everything that it refers to.
    for index in wiring.own.indices {
      let timing = wiring.own[index].definition.timing
      guard timing == .eager || (timing == .eagerInDefaultApp && isDefaultApp) else { continue }
      let source = wiring.source(at: index)
      guard !wiring.own[index].isStandIn, isNew(source.component) else { continue }
      try source.create(.current)
    }
  }
}
