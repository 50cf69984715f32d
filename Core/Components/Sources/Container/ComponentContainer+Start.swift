import Synchronization

extension ComponentContainer {
  /// Runs the `onStart` actions of the container's components, each after those of the components that it
  /// needs. Components are created as necessary.
  ///
  /// An action runs once per instance. A later call runs the actions that failed, and those of new instances
  /// and components. Concurrent calls run one after another, so an action must not call this. Deleting the
  /// container cancels it.
  ///
  /// - Throws: ``ComponentError`` with what a creation or an action threw, or if the container was deleted;
  ///   `CancellationError`. Components that were started before the error stay started.
  public func start() async throws {
    do {
      try await starts.run {
        try self.checkStartable()
        let action = StartAction(of: self)
        defer { action.end() }
        try await StartAction.$current.withValue(action) { try await self.startMembers() }
      }
    } catch is CancellationError {
      try checkStartable()
      throw CancellationError()
    }
  }

  /// Throws if the container is deleted or being deleted.
  ///
  /// - Throws: ``ComponentError`` with the code ``ComponentError/Code/appDeleted`` or
  ///   ``ComponentError/Code/containerDeleted``.
  private func checkStartable() throws {
    guard life.phase == .live else { throw ComponentError.deleted(life.owner, "can't be started") }
  }

  /// Runs the actions that haven't run, in dependency order, for the graph that is in effect at the
  /// beginning. Components that a child creates in place of its parent's are omitted: the parent starts its
  /// own.
  ///
  /// - Throws: ``ComponentError`` with what a creation or an action threw, after which no further action
  ///   runs; `CancellationError` if the task was cancelled before an action, or if an action throws it.
  private func startMembers() async throws {
    let wiring = currentWiring
    for (node, source) in zip(wiring.own, wiring.sources) where !node.isStandIn {
      guard node.definition.hasStart, !life.isStarted(source.component) else { continue }
      try Task.checkCancellation()
      do {
        try await node.definition.typed.runStart(source)
      } catch let error as CancellationError {
        throw error
      } catch {
        throw ComponentError.wrapping(
          error, key: node.definition.key, path: [node.definition.key], verb: "started",
          of: source.component)
      }
    }
  }
}

/// Marks the current task as running the `onStart` actions of a container. The container's deletion waits for
/// the actions, so they must not wait for the deletion.
///
/// The value is task-local, so child tasks and unstructured tasks that an action creates inherit it. It
/// doesn't keep the container alive in tasks that outlive the action.
final class StartAction: Sendable {
  /// The innermost start that the current task is part of.
  @TaskLocal static var current: StartAction?

  // `start()` retains it until the actions have ended.
  private weak let container: ComponentContainer?
  /// The start during which this one was called.
  private let outer: StartAction?
  /// Whether the actions have ended, so that nothing waits for them.
  private let isOver = Atomic<Bool>(false)

  /// Begins the actions of a container, inside those of the current task, if any.
  ///
  /// - Parameter container: the container, whose `start()` is running.
  init(of container: ComponentContainer) {
    self.container = container
    outer = Self.current
  }

  /// Returns whether the deletion of a container would wait for this action: a deletion of the action's
  /// container or of one of its ancestors.
  ///
  /// - Parameter other: the container.
  /// - Complexity: O(*n*) in the number of nested starts and of the ancestors of their containers.
  func isAwaited(by other: ComponentContainer) -> Bool {
    guard !isOver.load(ordering: .acquiring) else { return outer?.isAwaited(by: other) ?? false }
    var container: ComponentContainer? = container
    while let current = container {
      if current === other { return true }
      // Deleting a container deletes its children first.
      container = current.parent
    }
    return outer?.isAwaited(by: other) ?? false
  }

  /// Returns whether this is an action of the container that `life` belongs to, or nested in one, and hasn't
  /// ended.
  ///
  /// - Parameter life: the state of the container's instances.
  func isOf(_ life: ContainerLife) -> Bool {
    (container?.life === life && !isOver.load(ordering: .acquiring)) || (outer?.isOf(life) ?? false)
  }

  /// Marks the actions as ended. Tasks that they created may continue.
  func end() { isOver.store(true, ordering: .releasing) }
}

/// Runs asynchronous calls one at a time, in the order of arrival. A call that fails or is cancelled doesn't
/// affect the next one.
actor Turns {
  /// The calls that haven't ended, by number.
  private var calls: [Int: Task<Void, any Error>] = [:]
  /// The number of calls so far, which numbers them.
  private var count = 0
  /// Ends when the last call has ended.
  private var last: Task<Void, Never>?

  /// Runs `body` after all calls that were made before, in a separate task, which inherits the caller's
  /// task-local values. Cancelling the calling task cancels `body`, which still runs and must examine the
  /// cancellation itself.
  ///
  /// - Parameter body: the operation. It must not call this: it would wait for itself.
  /// - Throws: what `body` throws.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let earlier = last
    let task = Task<Void, any Error> {
      await earlier?.value
      try await body()
    }
    last = Task { _ = await task.result }
    count += 1
    let number = count
    calls[number] = task
    defer { calls[number] = nil }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Cancels the calls that haven't ended, and waits for them. Later calls aren't affected.
  func cancel() async {
    for call in calls.values { call.cancel() }
    await last?.value
  }
}
