/// What a container remembers of the instances that it created, from its configuration to its deletion.
final class ContainerLife: Sendable {
  enum Phase {
    case live
    case deleting
    case deleted
  }

  /// A shared instance that was created.
  struct Created: Sendable {
    let component: InstalledComponent
    let start: ContinuousClock.Instant
    let duration: Duration
    /// Which one it was, from 1.
    var number = 0
  }

  private struct State {
    var phase = Phase.live
    /// How many creations are under way.
    var creating = 0
    /// How many instances were created so far.
    var count = 0
    var created: [ObjectIdentifier: Created] = [:]
    /// Called when the last creation has ended.
    var whenIdle: [CheckedContinuation<Void, Never>] = []
    /// The components whose instance has been started.
    var started: Set<ObjectIdentifier> = []
    /// The last of the tasks that run `onDelete` actions, one after the other.
    var retirement: Task<Void, Never>?
  }

  /// Who the container belongs to, for errors: `the app "default"` or `the container`.
  let owner: String
  let app: AppContext?
  /// Tells whose readers are meant; see ``Reclamation``. A child has its parent's.
  let domain: UInt
  let start = ContinuousClock.now
  private let state = Lock(State())

  init(owner: String, app: AppContext?, domain: UInt) {
    self.owner = owner
    self.app = app
    self.domain = domain
  }

  var phase: Phase { state.withLock { $0.phase } }

  // MARK: - Creations

  /// Counts a creation in; `false` once the container is being deleted, except for what a creation under way needs.
  func beginCreation(isUnderWay: Bool) -> Bool {
    state.withLock { state in
      guard state.phase == .live || (state.phase == .deleting && isUnderWay) else { return false }
      state.creating += 1
      return true
    }
  }

  /// Counts a creation out. `publish` hands the instance out, or gives it back as one that came too late.
  func endCreation(_ publish: (inout [Created]) -> RetiredInstance?) {
    let late = state.withLock { state in
      var created: [Created] = []
      let late = publish(&created)
      for var one in created {
        state.count += 1
        one.number = state.count
        state.created[ObjectIdentifier(one.component)] = one
      }
      state.creating -= 1
      if state.creating == 0 {
        for continuation in state.whenIdle { continuation.resume() }
        state.whenIdle = []
      }
      return late
    }
    if let late { retire([late]) }
  }

  /// What has been created and not given up.
  func created(_ component: InstalledComponent) -> Created? {
    state.withLock { $0.created[ObjectIdentifier(component)] }
  }

  var created: [ObjectIdentifier: Created] { state.withLock { $0.created } }

  // MARK: - Starting

  func isStarted(_ component: InstalledComponent) -> Bool {
    state.withLock { $0.started.contains(ObjectIdentifier(component)) }
  }

  func markStarted(_ component: InstalledComponent) {
    state.withLock { _ = $0.started.insert(ObjectIdentifier(component)) }
  }

  // MARK: - Giving up

  /// Takes the instances of components away. As soon as nobody borrows them, runs their `onDelete` actions in reverse
  /// order of creation, and lets go of them.
  ///
  /// - Parameters:
  ///   - standing: components that may create another instance.
  ///   - removed: components that may not.
  ///   - wiring: a version of the graph that was replaced.
  /// - Returns: the task that runs the actions.
  @discardableResult
  func giveUp(
    _ standing: [InstalledComponent] = [], removing removed: [InstalledComponent] = [],
    replacing wiring: [Wiring] = []
  ) -> Task<Void, Never> {
    let (instances, views) = state.withLock { state in
      var instances: [(number: Int, instance: RetiredInstance)] = []
      var views: [any AnyObject & Sendable] = []
      for component in removed { component.markRemoved() }
      for component in standing + removed {
        let created = state.created.removeValue(forKey: ObjectIdentifier(component))
        state.started.remove(ObjectIdentifier(component))
        if let box = component.cells.source.take() {
          instances.append((created?.number ?? 0, RetiredInstance(component: component, box: box)))
        }
        views += component.cells.views.compactMap { $0.take() }
      }
      return (instances.sorted { $0.number > $1.number }.map(\.instance), views)
    }
    let (unread, continuation) = AsyncStream<Void>.makeStream()
    Reclamation.retire(instances.map(\.box) + views + wiring, domain: domain) { continuation.finish() }
    return retire(instances) { for await _ in unread {} }
  }

  /// Runs the `onDelete` actions of instances, after those of earlier ones and after `wait`.
  @discardableResult
  private func retire(
    _ instances: [RetiredInstance], after wait: @escaping @Sendable () async -> Void = {}
  ) -> Task<Void, Never> {
    state.withLock { state in
      let earlier = state.retirement
      let task = Task {
        await earlier?.value
        await wait()
        // Each is released before the next one's action runs.
        var rest = instances[...]
        while let instance = rest.popFirst() {
          await instance.component.definition.typed.runDeletion(instance.box)
        }
      }
      state.retirement = task
      return task
    }
  }

  // MARK: - Deleting

  /// Lets nobody new in and waits for the creations under way.
  func beginDeletion() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.phase = .deleting
        if state.creating > 0 { state.whenIdle.append(continuation) }
        return state.creating == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  func endDeletion() { state.withLock { $0.phase = .deleted } }
}

/// A shared instance that nobody can resolve any more.
struct RetiredInstance: Sendable {
  let component: InstalledComponent
  let box: any AnyObject & Sendable
}
