import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R11: deferred needs, whose components may be registered later.
@Suite(.limited) struct DeferredTests {
  final class Shop: Sendable {
    let payments: Deferred<Motor>
    init(payments: Deferred<Motor>) { self.payments = payments }
  }

  private static func container(@ComponentBuilder _ further: () -> [AnyComponent] = { [] }) throws
    -> ComponentContainer
  {
    try ComponentContainer {
      Component(Shop.self, needs: .deferred(Motor.self)) { Shop(payments: $1) }
      further()
    }
  }

  @Test func anAvailableValueIsDeliveredOnceImmediately() async throws {
    let container = try Self.container { Component(Motor.self) { _ in Motor(power: 3) } }
    let journal = Journal()
    let payments = try container.resolve(Shop.self).payments
    payments.whenAvailable { journal.note("\($0.power)") }
    #expect(journal.entries == ["3"])
    #expect(try payments.get()?.power == 3)
    await container.reset()
    try container.update { $0.install { Component(Int.self) { _ in 1 } } }
    #expect(journal.entries == ["3"])
  }

  @Test func r11AValueProvidedLaterIsDelivered() throws {
    let container = try Self.container()
    let journal = Journal()
    let payments = try container.resolve(Shop.self).payments
    payments.whenAvailable { journal.note("first \($0.power)") }
    payments.whenAvailable { journal.note("second \($0.power)") }
    #expect(try payments.get() == nil)
    try container.update { $0.install { Component(Int.self) { _ in 1 } } }
    #expect(journal.entries.isEmpty)
    try container.update { $0.install { Component(Motor.self) { _ in Motor(power: 4) } } }
    #expect(journal.entries == ["first 4", "second 4"])
    #expect(try payments.get()?.power == 4)
  }

  @Test func r11AWaitingTaskResumesWhenTheValueIsProvided() async throws {
    let container = try Self.container()
    let payments = try container.resolve(Shop.self).payments
    async let motor = payments.value()
    try await eventually { !container.deferred.withLock({ $0.isEmpty }) }
    try container.update { $0.install { Component(Motor.self) { _ in Motor(power: 5) } } }
    #expect(try await motor.power == 5)
  }

  @Test func r11AnUpdateOfTheParentDeliversToAChild() throws {
    let parent = try ComponentContainer {}
    let child = try parent.child { Component(Shop.self, needs: .deferred(Motor.self)) { Shop(payments: $1) } }
    let journal = Journal()
    try child.resolve(Shop.self).payments.whenAvailable { journal.note("\($0.power)") }
    try parent.update { $0.install { Component(Motor.self) { _ in Motor(power: 6) } } }
    #expect(journal.entries == ["6"])
  }

  @Test func aFailureIsThrownToWaitingTasks() async throws {
    let container = try Self.container { Component(Motor.self) { _ in throw Failure() } }
    let payments = try container.resolve(Shop.self).payments
    let thrown = await #expect(throws: ComponentError.self) { try await payments.value() }
    #expect(thrown?.code == .creationFailed)
    #expect(error(ComponentError.self) { try payments.get() }?.code == .creationFailed)
  }

  @Test func aWaitingTaskCanBeCancelled() async throws {
    let container = try Self.container()
    let payments = try container.resolve(Shop.self).payments
    let task = Task { try await payments.value() }
    try await eventually { !container.deferred.withLock({ $0.isEmpty }) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(container.deferred.withLock { $0.isEmpty })
  }

  @Test func r8AWaitingTaskThrowsWhenItsContainerIsDeleted() async throws {
    let container = try Self.container()
    let payments = try container.resolve(Shop.self).payments
    payments.whenAvailable { _ in Issue.record("nothing was to be delivered") }
    let task = Task { try await payments.value() }
    try await eventually { container.deferred.withLock { $0.waiting } >= 2 }
    await container.delete()
    let thrown = await #expect(throws: ComponentError.self) { try await task.value }
    #expect(thrown?.code == .containerDeleted)
  }

  @Test func aWaitingTaskThrowsWhenItsContainerIsReleased() async throws {
    var container: ComponentContainer? = try Self.container()
    let payments = try #require(container).resolve(Shop.self).payments
    let task = Task { try await payments.value() }
    try await eventually { container?.deferred.withLock({ $0.isEmpty }) != true }
    container = nil
    let thrown = await #expect(throws: ComponentError.self) { try await task.value }
    #expect(
      thrown?.description == """
        TENON-206: Motor can't be resolved: the container that its provider belongs to is gone.
          - Keep the container as long as its components are used.
        """)
    #expect(error(ComponentError.self) { try payments.get() }?.code == .containerDeleted)
  }

  @Test func aDeferredNeedMayCloseACycle() throws {
    final class Owner: Sendable {
      let pet: Deferred<Pet>
      init(pet: Deferred<Pet>) { self.pet = pet }
    }
    final class Pet: Sendable {
      let owner: Owner
      init(owner: Owner) { self.owner = owner }
    }
    let container = try ComponentContainer {
      Component(Owner.self, needs: .deferred(Pet.self)) { Owner(pet: $1) }
      Component(Pet.self, needs: .required(Owner.self)) { Pet(owner: $1) }
    }
    let owner = try container.resolve(Owner.self)
    #expect(try owner.pet.get()?.owner === owner)
  }
}
