import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// `onStart`: asynchronous setup in dependency order.
@Suite(.limited) struct StartTests {
  @Test func startActionsRunInDependencyOrderAndCreateWhatTheyNeed() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Car.self, needs: .required((any Engine).self)) { Car(engine: $1) }
        .onStart { _ in journal.note("car") }
      Component((any Engine).self) { _ in Motor() }
        .onStart { _ in
          await Task.yield()
          journal.note("engine")
        }
        .onStart { _ in journal.note("engine again") }
      Component(Int.self) { _ in 1 }
    }
    try await container.start()
    #expect(journal.entries == ["engine", "engine again", "car"])
    #expect(container.graph.components.map(\.isCreated) == [true, true, false])
  }

  @Test func anActionRunsOncePerInstance() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { journal.note("int \($0)") }
      Component(String.self) { _ in "s" }.onStart { journal.note($0) }
    }
    try await container.start()
    try await container.start()
    #expect(journal.entries == ["int 1", "s"])
    try await container.reset(Int.self)
    try container.update {
      $0.install { Component(Double.self) { _ in 2 }.onStart { journal.note("\($0)") } }
    }
    try await container.start()
    #expect(journal.entries == ["int 1", "s", "int 1", "2.0"])
  }

  @Test func aFailureEndsTheStartAndTheNextOneContinues() async throws {
    let journal = Journal()
    let tries = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in journal.note("int") }
      Component(String.self, needs: .required(Int.self)) { "\($1)" }.onStart { _ in
        if tries.increment() == 1 { throw Failure() }
        journal.note("string")
      }
      Component(Double.self, needs: .required(String.self)) { Double($1) ?? 0 }
        .onStart { _ in journal.note("double") }
    }
    let thrown = await #expect(throws: ComponentError.self) { try await container.start() }
    #expect(thrown?.description == "TENON-202: String can't be started: Failure(text: \"failed\")")
    #expect(journal.entries == ["int"])
    try await container.start()
    #expect(journal.entries == ["int", "string", "double"])
  }

  @Test func concurrentStartsRunEachActionOnce() async throws {
    let started = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        await Task.yield()
        started.increment()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { try await container.start() } }
      try await group.waitForAll()
    }
    #expect(started.value == 1)
  }

  @Test func aCancelledStartStopsBeforeTheNextAction() async throws {
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        hasBegun.yield()
        try? await Task.sleep(for: .seconds(3_600))
        journal.note("int")
      }
      Component(String.self, needs: .required(Int.self)) { "\($1)" }.onStart { journal.note($0) }
    }
    let task = Task { try await container.start() }
    for await _ in begun { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(journal.entries == ["int"])
    try await container.start()
    #expect(journal.entries == ["int", "1"])
  }

  @Test func anActionMayUpdateItsContainer() async throws {
    let holder = Lock<ComponentContainer?>(nil)
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        try holder.withLock { $0 }?.update { $0.install { Component(String.self) { _ in "late" } } }
      }
    }
    holder.withLock { $0 = container }
    try await container.start()
    #expect(try container.resolve(String.self) == "late")
    holder.withLock { $0 = nil }
  }

  @Test func aComponentOfTheMainActorIsCreatedThere() async throws {
    let container = try ComponentContainer {
      Component.onMainActor(Motor.self) { _ in Motor() }.onStart { _ in }
    }
    try await container.start()
    #expect(container.graph.components.map(\.isCreated) == [true])
  }

  @Test(arguments: [false, true])
  func aResetDuringAnActionRetiresTheInstanceAfterItAndTheNextOneIsStarted(isUpdate: Bool) async throws {
    let journal = Journal()
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let (goOn, letGoOn) = AsyncStream<Void>.makeStream()
    let component = Component(Int.self) { _ in 1 }.onStart { _ in
      hasBegun.finish()
      for await _ in goOn {}
      journal.note("start ended")
    }.onDelete { _ in journal.note("deleted") }
    let container = try ComponentContainer { component }
    let start = Task { try await container.start() }
    for await _ in begun {}
    let retirement =
      isUpdate
      ? try container.update { $0.replace { component } } : container.retireInstances { _ in true }
    for _ in 0..<100 { await Task.yield() }
    #expect(journal.entries == [], "the instance is in use")
    letGoOn.finish()
    try await start.value
    await retirement.value
    #expect(journal.entries == ["start ended", "deleted"])
    try await container.start()
    #expect(journal.entries == ["start ended", "deleted", "start ended"], "the next instance is another one")
  }

  @Test func anActionMayWaitUntilItsOwnInstanceIsRetired() async throws {
    let journal = Journal()
    let here = Lock<ComponentContainer?>(nil)
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        guard let container = here.withLock({ $0.take() }) else { return }
        await container.reset()
        journal.note("start ended")
      }.onDelete { _ in journal.note("deleted") }
    }
    here.withLock { $0 = container }
    try await container.start()
    #expect(journal.entries == ["deleted", "start ended"])
  }

  @Test func r8DeletionCancelsAStartAndWaitsForIt() async throws {
    let journal = Journal()
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        hasBegun.finish()
        do { try await Task.sleep(for: .seconds(3_600)) } catch { journal.note("cancelled") }
        // The action ends some time after its cancellation.
        for _ in 0..<100 { await Task.yield() }
        journal.note("start ended")
      }.onDelete { _ in journal.note("deleted") }
      Component(String.self, needs: .required(Int.self)) { "\($1)" }.onStart { _ in journal.note("string") }
    }
    let start = Task { try await container.start() }
    for await _ in begun {}
    await container.delete()
    #expect(journal.entries == ["cancelled", "start ended", "deleted"])
    let thrown = await #expect(throws: ComponentError.self) { try await start.value }
    #expect(thrown?.code == .containerDeleted)
  }

  @Test func r8DeletionCancelsTheStartOfAChild() async throws {
    let journal = Journal()
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let container = try ComponentContainer {}
    let child = try container.child {
      Component(Int.self) { _ in 1 }.onStart { _ in
        hasBegun.finish()
        defer { journal.note("start ended") }
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    let start = Task { try await child.start() }
    for await _ in begun {}
    await container.delete()
    #expect(journal.entries == ["start ended"])
    let thrown = await #expect(throws: ComponentError.self) { try await start.value }
    #expect(thrown?.code == .containerDeleted)
  }

  @Test(arguments: [false, true])
  func anActionMayDeleteItsContainer(isInChild: Bool) async throws {
    let journal = Journal()
    let container = try ComponentContainer { Component(Double.self) { _ in 1 } }
    let starting = try isInChild ? container.child {} : container
    try starting.update {
      $0.install {
        Component(Int.self) { _ in 1 }.onStart { _ in
          await container.delete()
          journal.note("start ended")
        }.onDelete { _ in journal.note("deleted") }
      }
    }
    let isOver = await inTime {
      _ = try? await starting.start()
      await container.delete()
      return true
    }
    try #require(isOver != nil)
    #expect(journal.entries == ["start ended", "deleted"])
  }

  @Test func aCancelledStartThrowsCancellationError() async throws {
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let container = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        hasBegun.finish()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    let start = Task { try await container.start() }
    for await _ in begun {}
    start.cancel()
    await #expect(throws: CancellationError.self) { try await start.value }
    await container.delete()
  }

  @Test func aTaskThatAnActionCreatesDoesNotKeepTheContainerAlive() async throws {
    let (end, ending) = AsyncStream<Void>.makeStream()
    var container: ComponentContainer? = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onStart { _ in
        Task { for await _ in end {} }
      }
    }
    weak let gone = container
    try await container?.start()
    container = nil
    // The start's own task may release it a little later.
    try await eventually { gone == nil }
    ending.finish()
  }

  @Test func aDeletedContainerCannotBeStarted() async throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 }.onStart { _ in } }
    await container.delete()
    let thrown = await #expect(throws: ComponentError.self) { try await container.start() }
    #expect(
      thrown?.description == """
        TENON-206: The container can't be started: it was deleted.
          - Configure it again, and use the new one.
        """)
  }

  @Test func r2AScopeThatKeepsNoInstanceHasNoStartDeletionOrReset() {
    let thrown = error(ConfigurationError.self) {
      try ComponentContainer {
        Component(Int.self) { _ in 1 }.scope(.unique).onStart { _ in }.onDelete { _ in }.reset(
          .memoryPressure)
      }
    }
    #expect(
      thrown?.problems.map(\.message) == [
        "Int of the container has an onStart action, but its scope .unique keeps no instance.",
        "Int of the container has an onDelete action, but its scope .unique keeps no instance.",
        "Int of the container is reset by an event, but its scope .unique keeps no instance.",
      ])
  }
}
