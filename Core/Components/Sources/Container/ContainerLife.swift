import Synchronization
import TenonBasics

/// The state of a container's instances, from configuration to deletion. Thread-safe: everything that changes
/// is guarded by one lock.
///
/// A container and its components share one life, which retains a component only while its `onStart` action
/// or the retirement of its instance is under way. The lock may be acquired while that of `CreationState` is
/// held, never the other way round. No creation and no action runs under it.
final class ContainerLife: Sendable {
  /// The phases of a container, in this order.
  enum Phase {
    /// The container creates instances.
    case live
    /// Deletion has begun: only the needs of creations under way are created.
    case deleting
    /// Everything has been released.
    case deleted
  }

  /// A shared instance that was created. The instance itself is in the component's cell.
  struct Created: Sendable {
    /// The identity of the component. Holding the component itself would be a retain cycle, because it holds
    /// this life.
    let component: ObjectIdentifier
    /// When the creation began.
    let start: ContinuousClock.Instant
    /// How long the creation took, including that of its needs.
    let duration: Duration
    /// The position in the order of creation, from 1.
    var number = 0
  }

  /// The state, guarded by `state`'s lock.
  private struct State {
    var phase = Phase.live
    /// The number of creations under way, for whose end a deletion waits. Those of `.unique` components
    /// aren't counted.
    var creating = 0
    /// The number of shared instances created so far, including those that were released.
    var count = 0
    /// The shared instances that exist, by component.
    var created: [ObjectIdentifier: Created] = [:]
    /// The deletion that waits, if any; resumed when the last creation has ended.
    var whenIdle: [CheckedContinuation<Void, Never>] = []
    /// The components whose instances have been started.
    var started: Set<ObjectIdentifier> = []
    /// The action that is under way. There is at most one; see `ComponentContainer.starts`.
    var start: Start?
    /// The retirements that haven't ended.
    var retirements = Retirements()
  }

  /// Whether deletion has begun. Mirrors `phase`, so that a request that finds nothing needs no lock.
  private let hasEnded = Atomic<Bool>(false)
  /// The number of creations of `.graph` instances under way, for whose end a deletion waits as well. They
  /// take no lock, because they concern one thread.
  private let ownCreations = Atomic<Int>(0)

  /// What the container belongs to, for errors.
  let owner: ContainerOwner
  /// The app that the container belongs to; `nil` if it belongs to none.
  let app: AppContext?
  /// Identifies the readers to wait for; see ``Reclamation``. A child has its parent's domain, because a read
  /// of its graph may also read the parent's.
  let domain: UInt
  /// When the container was configured.
  let start = ContinuousClock.now
  private let state = Lock(State())

  /// Creates the state of a container that is being configured, in the phase ``Phase/live``.
  ///
  /// - Parameters:
  ///   - owner: what the container belongs to.
  ///   - app: the app that the container or its parent belongs to; `nil` if there is none.
  ///   - domain: the domain in which the container's graph and instances are read.
  init(owner: ContainerOwner, app: AppContext?, domain: UInt) {
    self.owner = owner
    self.app = app
    self.domain = domain
  }

  /// The current phase, which may have changed when this returns. Whether an instance may be created is
  /// decided by ``beginCreation(isUnderWay:)``, under the lock.
  var phase: Phase { state.withLock { $0.phase } }
  /// Whether the phase is ``Phase/live``. Takes no lock.
  var isLive: Bool { !hasEnded.load(ordering: .acquiring) }

  // MARK: - Creations

  /// Begins a creation. If this returns `true`, the creation must be ended with ``endCreation(_:)``, also
  /// after a failure.
  ///
  /// - Parameter isUnderWay: returns whether the calling thread has begun a creation for which deletion
  ///   waits. Called with the lock held, and only while the container is being deleted.
  /// - Returns: `false` once deletion has begun, except for the needs of a creation under way.
  func beginCreation(isUnderWay: () -> Bool) -> Bool {
    state.withLock { state in
      guard state.phase == .live || (state.phase == .deleting && isUnderWay()) else { return false }
      state.creating += 1
      return true
    }
  }

  /// Ends a creation, and lets a deletion continue that waits for the last one.
  ///
  /// - Parameter publish: publishes the instance and adds it to its argument, which receives its number here;
  ///   returns the instance if its component was removed or reset in the meantime. Called with the lock held.
  /// - Returns: what `publish` returned. If there is an instance, the creation hasn't ended: pass the instance
  ///   to ``endCreation(retiring:)``, without the lock of `CreationState`.
  func endCreation(_ publish: (inout [Created]) -> RetiredInstance?) -> RetiredInstance? {
    state.withLock { state in
      var created: [Created] = []
      let late = publish(&created)
      for var one in created {
        state.count += 1
        one.number = state.count
        state.created[one.component] = one
      }
      if late == nil { endCreation(&state) }
      return late
    }
  }

  /// Retires an instance that can't be published, and ends its creation.
  func endCreation(retiring late: RetiredInstance) {
    retire([late], of: [late.component], blocking: [ObjectIdentifier(late.component)])
    // Not before, so that a deletion finds the retirement.
    state.withLock { endCreation(&$0) }
  }

  private func endCreation(_ state: inout State) {
    state.creating -= 1
    resumeIfIdle(&state)
  }

  /// Begins the creation of an instance that one resolution creates for itself. If this returns `true`, it
  /// must be ended with ``endOwnCreation()``, also after a failure.
  ///
  /// - Parameter isUnderWay: as in ``beginCreation(isUnderWay:)``, called without the lock.
  /// - Returns: as ``beginCreation(isUnderWay:)``.
  func beginOwnCreation(isUnderWay: () -> Bool) -> Bool {
    ownCreations.wrappingAdd(1, ordering: .sequentiallyConsistent)
    // Either this sees that deletion has begun, or the deletion sees this creation.
    if !hasEnded.load(ordering: .sequentiallyConsistent) || (phase == .deleting && isUnderWay()) {
      return true
    }
    endOwnCreation()
    return false
  }

  /// Ends a creation that `beginOwnCreation` has begun.
  func endOwnCreation() {
    let left = ownCreations.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue
    if left == 0, hasEnded.load(ordering: .sequentiallyConsistent) { state.withLock { resumeIfIdle(&$0) } }
  }

  /// Resumes a deletion that waits for the last creation, if that has ended. Whoever ends it calls this,
  /// under the lock.
  private func resumeIfIdle(_ state: inout State) {
    guard isIdle(state) else { return }
    for continuation in state.whenIdle { continuation.resume() }
    state.whenIdle = []
  }

  /// Whether no creation is under way for which a deletion waits.
  private func isIdle(_ state: State) -> Bool {
    state.creating == 0 && ownCreations.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Returns what is recorded of a component's instance; `nil` if there is none, or if the container doesn't
  /// keep it.
  func created(_ component: InstalledComponent) -> Created? {
    state.withLock { $0.created[ObjectIdentifier(component)] }
  }

  /// The instances that exist, by component.
  var created: [ObjectIdentifier: Created] { state.withLock { $0.created } }

  // MARK: - Starting

  /// Returns whether the `onStart` action of a component has succeeded with its current instance.
  func isStarted(_ component: InstalledComponent) -> Bool {
    state.withLock { $0.started.contains(ObjectIdentifier(component)) }
  }

  /// An `onStart` action that is under way. It retains the instance, which a reset may remove in the
  /// meantime.
  struct Start: Sendable {
    let component: InstalledComponent
    /// The instance.
    let box: any AnyObject & Sendable
    /// A task that ends with the action.
    let task: Task<Void, Never>
    fileprivate let continuation: AsyncStream<Void>.Continuation
  }

  /// Begins an `onStart` action. The instance isn't retired before the action has ended.
  ///
  /// - Parameter component: the component, which has an `onStart` action.
  /// - Returns: the value to pass to `end`; `nil` if there is no instance, because it was released since it
  ///   was created.
  func beginStart(of component: InstalledComponent) -> Start? {
    let (end, continuation) = AsyncStream<Void>.makeStream()
    return state.withLock { state in
      guard let box = component.cell.box(.current, domain: domain) else { return nil }
      let start = Start(
        component: component, box: box, task: Task { for await _ in end {} }, continuation: continuation)
      state.start = start
      return start
    }
  }

  /// Ends an `onStart` action. The component counts as started if its instance is still the same. Lets the
  /// retirement of the instance continue that waits for the action.
  ///
  /// - Parameters:
  ///   - start: the action, as `beginStart` returned it.
  ///   - isStarted: whether the action has succeeded.
  func end(_ start: Start, isStarted: Bool) {
    state.withLock { state in
      // Releasing an instance clears its start.
      if isStarted, state.start?.box === start.box { state.started.insert(ObjectIdentifier(start.component)) }
      state.start = nil
    }
    start.continuation.finish()
  }

  // MARK: - Retiring instances

  /// Removes the instances of components. When no thread borrows them any more, runs their `onDelete` actions
  /// in reverse order of creation, and releases them.
  ///
  /// When this returns, these instances can no longer be found; the rest happens in the task. Instances that
  /// other threads are creating aren't kept.
  ///
  /// - Parameters:
  ///   - standing: components that may create another instance; none by default.
  ///   - removed: components that may not, because an update or the deletion has removed them; none by
  ///     default.
  ///   - wiring: the graph that they belong to.
  ///   - isReplaced: whether that graph is no longer in effect, so that it can be released as well.
  /// - Returns: the task that runs the actions.
  @discardableResult
  func retireInstances(
    _ standing: [InstalledComponent] = [], removing removed: [InstalledComponent] = [],
    of wiring: Wiring, isReplaced: Bool = false
  ) -> Task<Void, Never> {
    let components = standing + removed
    // What the calling thread creates is kept: its creation has made the reset.
    let ownCreations = CurrentThread.current.componentsInCreation
    let (instances, views, start) = state.withLock { state in
      var instances: [(number: Int, instance: RetiredInstance)] = []
      var start: Start?
      var views: [any AnyObject & Sendable] = []
      for component in removed { component.markRemoved() }
      for component in components {
        let created = state.created.removeValue(forKey: ObjectIdentifier(component))
        state.started.remove(ObjectIdentifier(component))
        if let box = component.cell.take() {
          instances.append((created?.number ?? 0, RetiredInstance(component: component, box: box)))
          if state.start?.box === box {
            start = state.start
            state.start = nil
          }
        }
        views += component.viewCells.compactMap { $0.take() }
        guard component.definition.scope == .weak else { continue }
        let cells = [component.cell] + component.viewCells
        views += cells.compactMap { $0.weakly.exchange(nil) }
      }
      for component in standing where !ownCreations.contains(ObjectIdentifier(component)) {
        component.countReset()
      }
      return (instances.ordered { $0.number > $1.number }.map(\.instance), views, start)
    }
    let (unread, continuation) = AsyncStream<Void>.makeStream()
    let objects = instances.map(\.box) + views + (isReplaced ? [wiring] : [])
    Reclamation.retire(objects, domain: domain) { continuation.finish() }
    let blocked = instances.isEmpty ? [] : wiring.closure(of: instances.map(\.component))
    // An action that releases its own instance may wait for the result, so the result must not wait for the
    // action.
    let isOwn = StartAction.current?.isOf(self) ?? false
    return retire(instances, of: components, blocking: blocked) {
      for await _ in unread {}
      if !isOwn { await start?.task.value }
    }
  }

  /// Runs the `onDelete` actions of instances after `wait` and after the retirements that block them.
  ///
  /// - Parameters:
  ///   - instances: the instances, in the order in which to retire them.
  ///   - components: the components that release instances, including those that have none.
  ///   - blocked: the components whose instances must be retired after these.
  ///   - wait: awaited first.
  /// - Returns: the task that runs the actions.
  @discardableResult
  private func retire(
    _ instances: [RetiredInstance], of components: [InstalledComponent],
    blocking blocked: Set<ObjectIdentifier>,
    after wait: @escaping @Sendable () async -> Void = {}
  ) -> Task<Void, Never> {
    state.withLock { state in
      let earlier = state.retirements.blocking(components)
      let id = state.retirements.newID()
      let task = Task {
        for task in earlier.values { await task.value }
        await wait()
        // Each instance is released before the action of the next one runs.
        var rest = instances[...]
        while let instance = rest.popFirst() {
          await instance.component.definition.typed.runDeletion(instance.box)
        }
        self.state.withLock { $0.retirements.remove(id, blocking: blocked) }
      }
      state.retirements.add(id, task, blocking: blocked, after: earlier)
      return task
    }
  }

  /// Waits until all instances that were removed before the call have been retired, including their
  /// `onDelete` actions.
  func waitForRetirements() async {
    for task in state.withLock({ $0.retirements.tasks }) { await task.value }
  }

  // MARK: - Deleting

  /// Rejects new creations, and waits for those under way, whose needs may still be created. Called once.
  func beginDeletion() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.phase = .deleting
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        if self.isIdle(state) { return true }
        state.whenIdle.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Marks the container as deleted. From now on, no creation is allowed.
  func endDeletion() { state.withLock { $0.phase = .deleted } }
}

/// A shared instance that can no longer be resolved. It is released after its component's `onDelete` action.
struct RetiredInstance: Sendable {
  let component: InstalledComponent
  let box: any AnyObject & Sendable
}
