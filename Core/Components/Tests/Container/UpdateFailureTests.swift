import Dispatch
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R9: an update that fails changes nothing.
@Suite(.limited) struct UpdateFailureTests {
  private static func garage() throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor() }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
    }
  }

  @Test func r9AnInvalidUpdateNamesEveryProblemAndChangesNothing() throws {
    let created = Counter()
    let container = try Self.garage()
    let car = try container.resolve(Car.self)
    let graph = container.graph
    let thrown = error(ConfigurationError.self) {
      try container.update {
        $0.remove((any Engine).self)
        $0.install {
          Component(Car.self) { _ in Car(engine: Motor()) }
          Component(Int.self) { _ in created.increment() }.timing(.eager)
        }
      }
    }
    #expect(
      thrown?.description == """
        2 problems:
        1. TENON-101: Car is provided by 2 components of the container.
          - Link one of them only.
          - Give one a name with .named(…).
          - Declare them with .contributing() if all of them are meant, and need .all(Car.self).
          | Car (shared, lazy, created as number 2)
          |   any Engine, required: missing
          | Car (shared, lazy)
        2. TENON-102: Car of the container needs any Engine, which nothing provides.
          - Add Component((any Engine).self) { … } to a library or to the container.
          - Declare the need as .optional((any Engine).self) if it can do without.
          | Car (shared, lazy, created as number 2)
          |   any Engine, required: missing
        """)
    #expect(created.value == 0)
    #expect(container.graph == graph)
    #expect(try container.resolve(Car.self) === car)
    #expect(try container.resolveIfPresent(Int.self) == nil)
  }

  @Test func r9RemovingAMissingComponentIsAnError() throws {
    let container = try Self.garage()
    let thrown = error(ConfigurationError.self) {
      try container.update {
        $0.remove(Car.self, named: "old")
        $0.remove(library: "absent")
        $0.remove(Car.self)
      }
    }
    #expect(
      thrown?.description == """
        2 problems:
        1. TENON-108: Car named "old" can't be removed: nothing in this container provides it.
          - Update the container that it belongs to.
        2. TENON-305: The library "absent" can't be removed: it provides nothing here.
        """)
    #expect(throws: Never.self) { try container.resolve(Car.self) }
  }

  @Test func r9AnEagerComponentThatFailsUndoesTheUpdate() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
        .onDelete { _ in journal.note("car") }
    }
    let thrown = error(ComponentError.self) {
      try container.update {
        $0.replace { Component((any Engine).self) { _ in Motor(power: 2) } }
        $0.install {
          Component(Int.self, needs: .required(Car.self)) { _, _ in 1 }.timing(.eager)
          Component(String.self, needs: .required(Int.self)) { _, _ in throw Failure() }.timing(.eager)
        }
      }
    }
    #expect(thrown?.description == "TENON-202: String can't be created: Failure(text: \"failed\")")
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(try container.resolveIfPresent(Int.self) == nil)
    // The car exists, but it was created with an engine of a graph that never took effect.
    #expect(try container.resolve(Car.self).engine.power == 1)
    await container.delete()
    #expect(journal.entries == ["car", "car"])
  }

  @Test func r9ACreationCannotUpdateItsContainer() throws {
    let holder = Lock<ComponentContainer?>(nil)
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        try holder.withLock { $0 }?.update { $0.removeAll() }
        return 1
      }
      Component(String.self, needs: .required(Int.self)) { _, _ in "s" }
    }
    holder.withLock { $0 = container }
    #expect(
      error(ComponentError.self) { try container.resolve(String.self) }?.description == """
        TENON-210: A container can't be updated by a creation, which its own update may have to wait for.
          path: String → Int
          - Update it after creation, for example in .onStart.
        """)
    holder.withLock { $0 = nil }
    #expect(try container.resolve(String.self) == "s")
  }

  @Test(arguments: [InstantiationTiming.lazy, .eager])
  func r9AnOnCreateActionCannotUpdateItsContainer(timing: InstantiationTiming) throws {
    let container = try ComponentContainer {}
    let thrown = error(ComponentError.self) {
      try container.update {
        $0.install {
          Component(Int.self) { _ in 1 }.timing(timing).onCreate { _, container in
            try container.update { $0.removeAll() }
          }
        }
      }
      return try container.resolve(Int.self)
    }
    #expect(thrown?.code == .updateWhileCreating)
  }

  @Test func r9ADeletedContainerCannotBeUpdated() async throws {
    let container = try ComponentContainer(named: "shop") {}
    await container.delete()
    #expect(
      error(ComponentError.self) { try container.update { $0.removeAll() } }?.description == """
        TENON-206: The container "shop" can't be updated: it was deleted.
          - Configure it again, and use the new one.
        """)
    #expect(
      error(ComponentError.self) { try container.child {} }?.description == """
        TENON-206: The container "shop" can't have a child: it was deleted.
          - Configure it again, and use the new one.
        """)
  }

  @Test func r9AnErrorThrownByTheChangeLeavesEverythingUnchanged() throws {
    struct Broken: ComponentSource {
      var components: [AnyComponent] { get throws { throw Failure(text: "no list") } }
    }
    let container = try Self.garage()
    let graph = container.graph
    #expect(throws: Failure(text: "no list")) {
      try container.update {
        $0.removeAll()
        try $0.install { try Broken().components }
      }
    }
    #expect(container.graph == graph)
  }

  @Test func r9AnInstanceFinishedAfterItsRemovalIsReturnedAndThenDeleted() async throws {
    let (started, mayFinish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (deletions, deleted) = AsyncStream<Int>.makeStream()
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        started.signal()
        mayFinish.wait()
        return 1
      }.onDelete { deleted.yield($0) }
    }
    async let number = onThread { Result { try container.resolve(Int.self) } }
    await onThread { started.wait() }
    try container.update { $0.replace { Component(Int.self) { _ in 2 } } }
    #expect(try container.resolve(Int.self) == 2)
    mayFinish.signal()
    let first = try await number.get()
    #expect(first == 1)
    for await number in deletions {
      #expect(number == 1)
      break
    }
    #expect(try container.resolve(Int.self) == 2)
  }
}
