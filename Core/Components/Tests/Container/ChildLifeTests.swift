import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R10: updates of a parent, and the deletion of parents and children.
@Suite(.limited) struct ChildLifeTests {
  private static func parent() throws -> ComponentContainer {
    try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
      Component(Motor.self) { _ in Motor(power: 9) }
    }
  }

  @Test func r10AnUpdateOfTheParentAppliesToKeysThatChildrenDoNotOverride() throws {
    let parent = try Self.parent()
    let child = try parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
    let grandchild = try child.child {}
    try parent.update {
      $0.replace {
        Component((any Engine).self) { _ in Motor(power: 3) }
        Component(Motor.self) { _ in Motor(power: 10) }
      }
      $0.install { Component(Int.self) { _ in 1 } }
    }
    for container in [child, grandchild] {
      #expect(try container.resolve((any Engine).self).power == 2)
      #expect(try container.resolve(Car.self).engine.power == 2)
      #expect(try container.resolve(Motor.self).power == 10)
      #expect(try container.resolve(Int.self) == 1)
    }
  }

  @Test func r10InstancesOfAChildSurviveUnrelatedUpdatesOfItsParent() throws {
    let parent = try Self.parent()
    let child = try parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
    let car = try child.resolve(Car.self)
    let engine = try child.resolve((any Engine).self) as? Motor
    try parent.update { $0.install { Component(Int.self) { _ in 1 } } }
    #expect(try child.resolve(Car.self) === car)
    #expect(try child.resolve((any Engine).self) as? Motor === engine)
  }

  @Test func r9AnInstanceOfAGrandchildIsKeptWhenItsParentBeginsOrEndsAnOverride() async throws {
    let deleted = Counter()
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: 1) }
      Component(Int.self) { _ in 1 }
      Component(Car.self, needs: .required((any Engine).self), .required(Int.self)) { _, engine, _ in
        Car(engine: engine)
      }.onDelete { _ in deleted.increment() }
    }
    let child = try parent.child {}
    let grandchild = try child.child { Component(Int.self) { _ in 2 } }
    let car = try grandchild.resolve(Car.self)
    await (try child.update { $0.install { Component((any Engine).self) { _ in Motor(power: 2) } } }).value
    #expect(try grandchild.resolve(Car.self) === car)
    #expect(try child.resolve(Car.self).engine.power == 2)
    await (try child.update { $0.remove((any Engine).self) }).value
    #expect(try grandchild.resolve(Car.self) === car)
    // Only the instance of the child, which uses the parent's again.
    #expect(deleted.value == 1)
    #expect(try child.resolve(Car.self) === parent.resolve(Car.self))
  }

  @Test func r10AnUnreferencedContainerIsReleasedWithItsInstances() throws {
    let parent = try Self.parent()
    weak var engine: Motor?
    weak var car: Car?
    func useChild() throws {
      let child = try parent.child {
        Component(Motor.self) { _ in Motor(power: 2) }.providing((any Engine).self) { $0 }
      }
      car = try child.resolve(Car.self)
      engine = try child.resolve(Motor.self)
      #expect(car?.engine.power == 2)
    }
    try useChild()
    #expect(car == nil)
    #expect(engine == nil)
    func useStandalone() throws { car = try Self.parent().resolve(Car.self) }
    try useStandalone()
    #expect(car == nil)
  }

  /// Deletion begins with the children, whose actions may create others.
  @Test func r8AChildThatIsCreatedDuringTheDeletionIsDeletedToo() async throws {
    let parent = try Self.parent()
    let late = Lock<ComponentContainer?>(nil)
    let child = try parent.child {
      Component(Int.self) { _ in 1 }.onDelete { _ in
        let created = try? parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
        late.withLock { $0 = created }
      }
    }
    _ = try child.resolve(Int.self)
    await parent.delete()
    let created = try #require(late.withLock { $0 })
    let thrown = error(ComponentError.self) { _ = try created.resolve(Car.self) }
    #expect(thrown?.code == .containerDeleted)
    let refused = error(ComponentError.self) { _ = try parent.child {} }
    #expect(refused?.code == .containerDeleted)
  }

  @Test func r10AnUpdateThatBreaksAChildChangesNothing() throws {
    let parent = try Self.parent()
    let child = try parent.child {
      Component(String.self, needs: .required(Motor.self)) { _, motor in "\(motor.power)" }
    }
    let thrown = error(ConfigurationError.self) { try parent.update { $0.remove(Motor.self) } }
    #expect(
      thrown?.problems.map(\.message) == ["String of the container needs Motor, which nothing provides."])
    #expect(try parent.resolve(Motor.self).power == 9)
    #expect(try child.resolve(String.self) == "9")
  }

  @Test func r10AChildCanBeUpdatedIndependently() throws {
    let parent = try Self.parent()
    let child = try parent.child {}
    let car = try parent.resolve(Car.self)
    #expect(try child.resolve(Car.self) === car)
    try child.update { $0.install { Component((any Engine).self) { _ in Motor(power: 2) } } }
    #expect(try child.resolve(Car.self).engine.power == 2)
    #expect(try parent.resolve(Car.self) === car)
    try child.update { $0.remove((any Engine).self) }
    #expect(try child.resolve(Car.self) === car)
  }

  @Test func r10AChildCannotRemoveOrResetComponentsOfItsParent() async throws {
    let parent = try Self.parent()
    let child = try parent.child {}
    let motor = try parent.resolve(Motor.self)
    #expect(
      error(ConfigurationError.self) { try child.update { $0.remove(Motor.self) } }?.description == """
        TENON-108: Motor can't be removed: nothing in this container provides it.
          - Update the container that it belongs to.
        """)
    let refusal = await #expect(throws: ComponentError.self) { try await child.reset(Motor.self) }
    #expect(refusal?.code == .notProvided)
    await child.reset()
    #expect(try child.resolve(Motor.self) === motor)
  }

  @Test func r10DeletingAParentDeletesItsChildrenFirst() async throws {
    let journal = Journal()
    let parent = try ComponentContainer {
      Component(Int.self) { _ in 1 }.onDelete { journal.note("int \($0)") }
    }
    let first = try parent.child(named: "first") {
      Component(String.self) { _ in "first" }.onDelete { journal.note($0) }
    }
    let second = try parent.child {
      Component(String.self, needs: .required(Int.self)) { _, _ in "second" }.onDelete { journal.note($0) }
    }
    _ = try second.resolve(String.self)
    _ = try first.resolve(String.self)
    await parent.delete()
    #expect(journal.entries == ["second", "first", "int 1"])
    #expect(
      error(ComponentError.self) { try first.resolve(String.self) }?.description == """
        TENON-206: String can't be resolved: the container "first" was deleted.
          - Configure it again, and resolve from the new one.
        """)
  }

  @Test func r10DeletingAChildLeavesItsParentAndSiblings() async throws {
    let parent = try Self.parent()
    let child = try parent.child { Component((any Engine).self) { _ in Motor(power: 2) } }
    let sibling = try parent.child { Component((any Engine).self) { _ in Motor(power: 3) } }
    let motor = try child.resolve(Motor.self)
    weak var car: Car?
    car = try child.resolve(Car.self)
    #expect(car != nil)
    await child.delete()
    #expect(car == nil)
    #expect(error(ComponentError.self) { try child.resolve(Motor.self) }?.code == .containerDeleted)
    #expect(try parent.resolve(Motor.self) === motor)
    #expect(try sibling.resolve(Car.self).engine.power == 3)
  }

  @Test func r10AnUnreferencedChildIsReleased() throws {
    let parent = try Self.parent()
    weak var gone: ComponentContainer?
    do {
      let child = try parent.child { Component(Int.self) { _ in 1 } }
      gone = child
      #expect(try child.resolve(Int.self) == 1)
    }
    #expect(gone == nil)
    #expect(throws: Never.self) { try parent.update { $0.remove(Motor.self) } }
  }
}
