import Dispatch
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// Borrowing an instance without reference counting.
@Suite(.limited) struct HandleTests {
  @Test func aHandleLendsTheSharedInstanceAndCreatesItOnFirstUse() throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: created.increment()) }
      Component(Motor.self) { _ in Motor(power: 7) }.named("spare")
    }
    let engine = container.handle((any Engine).self)
    #expect(created.value == 0)
    #expect(try engine.with { $0.power } == 1)
    #expect(try engine.with { $0.power } == 1)
    #expect(created.value == 1)
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(try container.handle(Motor.self, named: "spare").with { $0.power } == 7)
  }

  @Test func aHandleFollowsResetsAndUpdates() async throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: created.increment()) }
    }
    let engine = container.handle((any Engine).self)
    #expect(try engine.with { $0.power } == 1)
    await container.reset()
    #expect(try engine.with { $0.power } == 2)
    try container.update { $0.replace { Component((any Engine).self) { _ in Motor(power: 100) } } }
    #expect(try engine.with { $0.power } == 100)
    try container.update { $0.remove((any Engine).self) }
    #expect(error(ComponentError.self) { try engine.with { $0.power } }?.code == .notProvided)
    try container.update { $0.install { Component((any Engine).self) { _ in Motor(power: 200) } } }
    #expect(try engine.with { $0.power } == 200)
  }

  @Test func aHandleFollowsAKeyThatMovesToAnotherComponent() throws {
    let parent = try ComponentContainer {
      Component(Int.self) { _ in 1 }.named("Main").automaticAliases()
    }
    let child = try parent.child {}
    let (inherited, alias) = (child.handle(Int.self, named: "Main"), parent.handle(Int.self, named: "main"))
    #expect(try inherited.with { $0 } == 1)
    #expect(try alias.with { $0 } == 1)
    try child.update { $0.install { Component(Int.self) { _ in 2 }.named("Main") } }
    #expect(try inherited.with { $0 } == 2)
    try parent.update { $0.install { Component(Int.self) { _ in 3 }.named("main") } }
    #expect(try alias.with { $0 } == 3)
    try child.update { $0.removeAll() }
    #expect(try inherited.with { $0 } == 1)
  }

  @Test func aHandleOfADeletedContainerThrows() async throws {
    let parent = try ComponentContainer { Component(Int.self) { _ in 1 } }
    let child = try parent.child {}
    let (number, inherited) = (parent.handle(Int.self), child.handle(Int.self))
    #expect(try number.with { $0 } == 1)
    #expect(try inherited.with { $0 } == 1)
    await child.delete()
    #expect(error(ComponentError.self) { try inherited.with { $0 } }?.code == .containerDeleted)
    #expect(try number.with { $0 } == 1)
    await parent.delete()
    #expect(error(ComponentError.self) { try number.with { $0 } }?.code == .containerDeleted)
  }

  @Test(arguments: [Scope.unique, .weak, .graph, .shared, .pool("p")])
  func aHandleRespectsTheScope(scope: Scope) throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: created.increment()) }.scope(scope)
    }
    let motor = container.handle(Motor.self)
    #expect(try motor.with { $0.power } == 1)
    #expect(try motor.with { $0.power } == (scope.isShared ? 1 : 2))
  }

  @Test func anErrorOfTheBodyIsRethrownAndEndsTheBorrow() async throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 } }
    let number = container.handle(Int.self)
    for _ in 0..<2 { #expect(throws: Failure()) { try number.with { _ in throw Failure() } } }
    #expect(try number.with { _ in nil as Int? } == nil)
    await container.delete()
  }

  @Test func handlesOfDifferentContainersCanBeNested() async throws {
    let outer = try ComponentContainer { Component(Int.self) { _ in 1 } }
    let inner = try ComponentContainer { Component(Int.self) { _ in 2 } }
    let (one, two) = (outer.handle(Int.self), inner.handle(Int.self))
    for _ in 0..<2 {
      let sum = try one.with { one in try two.with { one + $0 } }
      #expect(sum == 3)
      await inner.reset()
      await outer.reset()
    }
  }

  @Test func aHandleRetainsItsContainerButNotTheInstance() async throws {
    var container: ComponentContainer? = try ComponentContainer { Component(Motor.self) { _ in Motor() } }
    let handle = try #require(container).handle(Motor.self)
    weak var motor: Motor?
    motor = try container?.resolve(Motor.self)
    try handle.with { #expect($0 === motor) }
    await container?.reset()
    #expect(motor == nil)
    container = nil
    #expect(try handle.with { $0.power } == 1)
  }

  @Test(arguments: [false, true])
  func aBorrowKeepsTheInstanceAliveAndDelaysDeletion(isWarm: Bool) async throws {
    let (borrowed, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: 42) }.onDelete { _ in journal.note("deleted") }
    }
    let handle = container.handle(Motor.self)
    if isWarm { try handle.with { _ in } }
    async let power = onThread {
      Result {
        try handle.with { motor in
          borrowed.signal()
          mayReturn.wait()
          journal.note("returned")
          return motor.power
        }
      }
    }
    await onThread { borrowed.wait() }
    _ = container.retireInstances { _ in true }
    let other = try container.resolve(Motor.self)
    async let deletion: Void = container.delete()
    // The deletion eventually rejects new borrows, while the current one continues.
    try await eventually { (try? handle.with { _ in true }) != true }
    #expect(error(ComponentError.self) { try handle.with { $0.power } }?.code == .containerDeleted)
    mayReturn.signal()
    await deletion
    #expect(try await power.get() == 42)
    #expect(other.power == 42)
    #expect(journal.entries == ["returned", "deleted", "deleted"])
  }
}
