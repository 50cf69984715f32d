extension ComponentContainer {
  /// Runs the `onStart` actions of the container's components, each after those of what it needs; components are
  /// created as far as need be.
  ///
  /// An action runs once per instance: a later call runs those that failed, and those of instances and components that
  /// are new. A call while another one is under way waits for it first, so an action must not call it.
  ///
  /// - Throws: ``ComponentError`` with what a creation or an action threw, or because the container was deleted, and
  ///   `CancellationError`. What was started until then stays started.
  public func start() async throws {
    try await starts.run {
      guard self.life.phase == .live else {
        throw ComponentError.deleted(self.life.owner, "can't be started")
      }
      try await self.startMembers()
    }
  }

  private func startMembers() async throws {
    for member in currentWiring.own where member.origin == nil {
      guard member.component.definition.hasStart, !life.isStarted(member.component) else { continue }
      try Task.checkCancellation()
      do {
        try await member.component.definition.typed.runStart(member.slots.source)
      } catch let error as CancellationError {
        throw error
      } catch {
        throw ComponentError.wrapping(
          error, key: member.component.key, path: [member.component.key], verb: "started")
      }
      life.markStarted(member.component)
    }
  }
}

/// Lets one asynchronous call after the other through, in the order in which they come.
actor Turns {
  private var last: Task<Void, Never>?

  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let earlier = last
    let task = Task<Void, any Error> {
      await earlier?.value
      try await body()
    }
    last = Task { _ = await task.result }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
