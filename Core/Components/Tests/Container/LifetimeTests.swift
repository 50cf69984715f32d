import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R4, R6 and R7: the creation and the lifetime of instances in each scope.
@Suite(.limited) struct LifetimeTests {
  @Test func r4EagerComponentsAreCreatedInDependencyOrderAndLazyOnesOnFirstUse() throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in
        journal.note("car")
        return Car(engine: engine)
      }.timing(.eager)
      Component((any Engine).self) { _ in
        journal.note("engine")
        return Motor()
      }.timing(.eager)
      Component(Int.self) { _ in
        journal.note("lazy")
        return 1
      }
    }
    #expect(journal.entries == ["engine", "car"])
    _ = try container.resolve(Int.self)
    #expect(journal.entries == ["engine", "car", "lazy"])
  }

  @Test(arguments: [(nil as String?, 1), ("r4-other", 0)])
  func r4EagerInDefaultAppDependsOnTheApp(name: String?, expected: Int) async throws {
    enum Stand: Library {
      static let name = "stand"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] {
        Component(Motor.self) { _ in Motor() }.timing(.eagerInDefaultApp)
      }
    }
    let app = try App.configure(name: name, options: AppOptions(projectID: "p"), libraries: [Stand.self])
    #expect(app.graph.components.compactMap(\.creationOrder).count == expected)
    await app.delete()
  }

  @Test func r4AFailingEagerComponentFailsTheConfigurationAndReleasesTheOthers() async throws {
    let (deletions, deleted) = AsyncStream<Void>.makeStream()
    let thrown = error(ComponentError.self) {
      try ComponentContainer {
        Component(Motor.self) { _ in Motor() }.timing(.eager).onDelete { _ in deleted.yield() }
        Component(Int.self, needs: .required(Motor.self)) { _, _ in throw Failure() }.timing(.eager)
      }
    }
    #expect(thrown?.code == .creationFailed)
    for await _ in deletions { break }
  }

  @Test func r6ACreationThatThrowsCachesNothingAndIsTriedAgain() throws {
    let tries = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        guard tries.increment() > 1 else { throw Failure() }
        return tries.value
      }
      Component(String.self, needs: .required(Int.self)) { _, number in "\(number)" }
    }
    let thrown = error(ComponentError.self) { try container.resolve(String.self) }
    #expect(thrown?.path == ["String", "Int"])
    #expect(
      thrown?.description
        == "TENON-202: Int can't be created: Failure(text: \"failed\")\n  path: String → Int")
    #expect(try container.resolve(String.self) == "2")
    #expect(try container.resolve(String.self) == "2")
  }

  @Test func r7AWarmSharedResolveTakesNoLock() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 3) }
      Component(Int.self) { _ in 5 }.named("five")
    }
    _ = try container.resolve((any Engine).self)
    _ = try container.resolve(Int.self, named: "five")
    // The lock isn't recursive: if a warm resolve acquired it, this would deadlock.
    let found = try CreationState.shared.withLock { _ in
      [try container.resolve((any Engine).self).power, try container.resolve(Int.self, named: "five")]
    }
    #expect(found == [3, 5])
  }

  @Test func sharedIsOneInstanceAndUniqueANewOneEachTime() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }
      Component(Motor.self) { _ in Motor() }.named("new").scope(.unique)
    }
    #expect(try container.resolve(Motor.self) === container.resolve(Motor.self))
    #expect(try container.resolve(Motor.self, named: "new") !== container.resolve(Motor.self, named: "new"))
  }

  @Test func aWeakInstanceLivesAsLongAsItIsReferenced() throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: created.increment()) }.scope(.weak)
    }
    var held: (any Engine)? = try container.resolve((any Engine).self)
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(held?.power == 1)
    held = nil
    #expect(try container.resolve((any Engine).self).power == 2)
  }

  @Test func aValueOfAProtocolWithWeakScopeIsRejectedWhenItIsCreated() throws {
    struct Sketch: Engine { let power = 0 }
    let container = try ComponentContainer { Component((any Engine).self) { _ in Sketch() }.scope(.weak) }
    #expect(error(ComponentError.self) { try container.resolve((any Engine).self) }?.code == .weakValue)
  }

  @Test func aGraphInstanceIsSharedWithinOneResolution() throws {
    struct Pair: Sendable { let left: Motor, right: Motor }
    struct Side: Sendable { let motor: Motor }
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.scope(.graph)
      Component(Side.self, needs: .required(Motor.self)) { _, motor in Side(motor: motor) }.scope(.unique)
      Component(Pair.self, needs: .required(Side.self), .required(Motor.self)) { _, side, motor in
        Pair(left: side.motor, right: motor)
      }.scope(.unique)
    }
    let first = try container.resolve(Pair.self)
    let second = try container.resolve(Pair.self)
    #expect(first.left === first.right)
    #expect(second.left === second.right)
    #expect(first.left !== second.left)
  }

  @Test func aContainerWithoutAnAppHasNoApp() throws {
    let container = try ComponentContainer { Component(String.self) { try $0.app.name } }
    #expect((error(ComponentError.self) { try container.resolve(String.self) })?.code == .noApp)
  }

  @Test func anUnprovidedTypeIsAnErrorWithNearMisses() throws {
    let container = try ComponentContainer { Component(Motor.self) { _ in Motor() }.named("diesel") }
    #expect(
      error(ComponentError.self) { try container.resolve(Motor.self, named: "disel") }?.description == """
        TENON-201: Nothing provides Motor named "disel".
          - There is Motor named "diesel".
          - Add Component(Motor.self) { … }.named("disel") to a library or to the container.
        """
    )
  }
}
