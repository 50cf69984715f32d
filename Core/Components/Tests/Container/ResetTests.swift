import Dispatch
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// Resetting instances: of one type, of several, all, all except some, those of a pool, and on an event.
@Suite(.limited) struct ResetTests {
  private static func counting(_ counter: Counter) throws -> ComponentContainer {
    try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: counter.increment()) }.providing((any Engine).self) { $0 }
      Component(Motor.self) { _ in Motor() }.named("spare")
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
    }
  }

  @Test func resettingOneRecreatesItUnderAllItsTypes() async throws {
    let container = try Self.counting(Counter())
    let spare = try container.resolve(Motor.self, named: "spare")
    let car = try container.resolve(Car.self)
    #expect(car.engine.power == 1)
    try await container.reset((any Engine).self)
    #expect(try container.resolve(Motor.self).power == 2)
    #expect(try container.resolve((any Engine).self).power == 2)
    // Existing references to the old instance remain valid.
    #expect(try container.resolve(Car.self) === car)
    #expect(car.engine.power == 1)
    #expect(try container.resolve(Motor.self, named: "spare") === spare)
  }

  @Test func resettingAllRecreatesEverything() async throws {
    let container = try Self.counting(Counter())
    let car = try container.resolve(Car.self)
    await container.reset()
    #expect(container.graph.components.allSatisfy { !$0.isCreated })
    #expect(try container.resolve(Car.self) !== car)
    #expect(try container.resolve(Car.self).engine.power == 2)
  }

  @Test func resettingAllExceptSomeTypesKeepsThemUnderEveryName() async throws {
    let container = try Self.counting(Counter())
    let (motor, spare) = try (container.resolve(Motor.self), container.resolve(Motor.self, named: "spare"))
    let car = try container.resolve(Car.self)
    await container.resetAll(except: Motor.self)
    #expect(try container.resolve(Motor.self) === motor)
    #expect(try container.resolve(Motor.self, named: "spare") === spare)
    #expect(try container.resolve(Car.self) !== car)
  }

  @Test func resettingAnUnprovidedTypeIsAnError() async throws {
    let container = try Self.counting(Counter())
    let error = await #expect(throws: ComponentError.self) {
      try await container.reset(Motor.self, named: "spar")
    }
    #expect(
      error?.description == """
        TENON-201: Nothing provides Motor named "spar".
          - There is Motor named "spare".
          - There is Motor.
          - Add Component(Motor.self) { … }.named("spar") to a library or to the container.
        """)
  }

  @Test func resettingAPoolKeepsTheOthers() async throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.scope(.pool("session"))
      Component(Motor.self) { _ in Motor() }.named("other").scope(.pool("other"))
      Component(Motor.self) { _ in Motor() }.named("shared")
    }
    func motors() throws -> [ObjectIdentifier] {
      try [nil, "other", "shared"].map { ObjectIdentifier(try container.resolve(Motor.self, named: $0)) }
    }
    let before = try [nil, "other", "shared"].map { try container.resolve(Motor.self, named: $0) }
    #expect(try motors() == before.map { ObjectIdentifier($0) })
    await container.reset(.pool("session"))
    let after = try motors()
    #expect(after[0] != ObjectIdentifier(before[0]))
    #expect(Array(after[1...]) == before[1...].map { ObjectIdentifier($0) })
  }

  @Test func anEventResetsOnlyComponentsThatDeclareIt() async throws {
    let signOut = ResetTrigger("sign-out")
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.reset(signOut).reset(.memoryPressure)
      Component(Motor.self) { _ in Motor() }.named("stays")
    }
    let (motor, stays) = try (container.resolve(Motor.self), container.resolve(Motor.self, named: "stays"))
    await container.reset(ResetTrigger("other"))
    #expect(try container.resolve(Motor.self) === motor)
    await container.reset(signOut)
    let second = try container.resolve(Motor.self)
    #expect(second !== motor)
    await container.reset(.memoryPressure)
    #expect(try container.resolve(Motor.self) !== second)
    #expect(try container.resolve(Motor.self, named: "stays") === stays)
  }

  @Test func onDeleteRunsInReverseOrderOfCreationForResetInstances() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.onDelete { _ in journal.note("motor") }
      Component(Car.self, needs: .required(Motor.self)) { (_, motor: Motor) in Car(engine: motor) }
        .onDelete { _ in journal.note("first") }.onDelete { _ in journal.note("last") }
    }
    weak var car: Car?
    weak var motor: Motor?
    car = try container.resolve(Car.self)
    motor = try container.resolve(Motor.self)
    #expect(car != nil && motor != nil)
    await container.reset()
    #expect(journal.entries == ["last", "first", "motor"])
    #expect(car == nil)
    #expect(motor == nil)
    // Each `onDelete` action runs once.
    await container.delete()
    #expect(journal.entries.count == 3)
  }

  @Test func resettingForgetsAWeakInstance() async throws {
    let container = try ComponentContainer { Component(Motor.self) { _ in Motor() }.scope(.weak) }
    let motor = try container.resolve(Motor.self)
    await container.reset(.weak)
    #expect(try container.resolve(Motor.self) !== motor)
  }

  @Test func aProviderReturnsTheNewInstance() async throws {
    struct Holder: Sendable { let motor: Provider<Motor> }
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }
      Component(Holder.self, needs: .provider(Motor.self)) { _, motor in Holder(motor: motor) }
    }
    let holder = try container.resolve(Holder.self)
    let motor = try holder.motor.get()
    try await container.reset(Motor.self)
    #expect(try holder.motor.get() !== motor)
    #expect(try holder.motor.get() === container.resolve(Motor.self))
  }

  @Test func aCreationMayResetOtherComponents() throws {
    let holder = Lock<ComponentContainer?>(nil)
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }
      Component(Car.self, needs: .required(Motor.self)) { _, motor in
        // A creation is synchronous, so it can't wait for the actions.
        _ = holder.withLock { $0 }?.retireInstances { _ in true }
        return Car(engine: motor)
      }
    }
    holder.withLock { $0 = container }
    let motor = try container.resolve(Motor.self)
    let car = try container.resolve(Car.self)
    #expect(car.engine as? Motor === motor)
    #expect(try container.resolve(Motor.self) !== motor)
    #expect(try container.resolve(Car.self) === car)
    holder.withLock { $0 = nil }
  }

  @Test func severalTypesAreResetTogetherOrNot() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      for name in [nil, "other"] {
        let radio = Component(Int.self) { _ in 1 }.onDelete { _ in journal.note("radio") }
        if let name { radio.named(name) } else { radio }
      }
      Component(Motor.self, needs: .required(Int.self)) { Motor(power: $1) }
        .onDelete { _ in journal.note("motor") }
      Component(Car.self, needs: .required(Motor.self)) { Car(engine: $1) }
        .onDelete { _ in journal.note("car") }
    }
    let (car, motor) = try (container.resolve(Car.self), container.resolve(Motor.self))
    await #expect(throws: ComponentError.self) { try await container.reset(Motor.self, String.self) }
    #expect(try container.resolve(Motor.self) === motor)
    try await container.reset(Int.self, Motor.self)
    #expect(journal.entries == ["motor", "radio"])
    #expect(try container.resolve(Car.self) === car)
    #expect(try container.resolve(Motor.self) !== motor)
    try await container.reset(Int.self, Car.self, Motor.self)
    #expect(journal.entries == ["motor", "radio", "motor", "radio", "car"])
  }

  @Test func resettingADeletedContainerSaysSo() async throws {
    let container = try ComponentContainer { Component(Motor.self) { _ in Motor() } }
    await container.delete()
    let thrown = await #expect(throws: ComponentError.self) { try await container.reset(Motor.self) }
    #expect(thrown?.code == .containerDeleted)
    #expect(thrown?.reason == "The container can't be reset: it was deleted.")
  }

  /// A creation may have read what the reset is to renew.
  @Test(arguments: [Scope.shared, .weak, .pool("session")])
  func anInstanceThatAnotherThreadIsCreatingIsNotKept(scope: Scope) async throws {
    let created = Counter()
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let deleted = Journal()
    let container = try ComponentContainer {
      let motor = Component(Motor.self) { _ in
        let number = created.increment()
        if number == 1 {
          hasBegun.signal()
          mayEnd.wait()
        }
        return Motor(power: number)
      }.scope(scope)
      if scope == .weak { motor } else { motor.onDelete { deleted.note("\($0.power)") } }
    }
    async let first = inTime { try? container.resolve(Motor.self) }
    _ = await inTime { hasBegun.wait() }
    await container.reset()
    mayEnd.signal()
    let early = await first ?? nil
    #expect(early?.power == 1)
    let second = try container.resolve(Motor.self)
    #expect(second.power == 2)
    #expect(try container.resolve(Motor.self) === second)
    await container.delete()
    #expect(deleted.entries == (scope == .weak ? [] : ["1", "2"]))
  }

  @Test func theTypesOfAnInstanceAreResetTogetherWhileOneIsBeingCreated() async throws {
    let created = Counter()
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: created.increment()) }
        .providing((any Engine).self) { motor in
          if motor.power == 1 {
            hasBegun.signal()
            mayEnd.wait()
          }
          return motor
        }
    }
    async let first = inTime { try? container.resolve((any Engine).self).power }
    _ = await inTime { hasBegun.wait() }
    try await container.reset(Motor.self)
    mayEnd.signal()
    #expect(await first == 1)
    let engine = try container.resolve((any Engine).self)
    #expect(engine.power == 2)
    #expect(try container.resolve(Motor.self) === engine as? Motor)
  }

  /// Requests that wait for a creation receive its instance, unless they were made after the reset. Otherwise
  /// each of them would have to create one, and none would be kept while resets follow each other.
  @Test func requestsThatWaitReceiveTheInstanceThatIsResetAndLaterOnesANewOne() async throws {
    let created = Counter()
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let container = try ComponentContainer {
      Component(Motor.self) { _ in
        let number = created.increment()
        if number == 1 {
          hasBegun.signal()
          mayEnd.wait()
        }
        return Motor(power: number)
      }
    }
    let cell = try #require(container.currentWiring.slot(ComponentKey(Motor.self))?.cell)
    @Sendable func power() async -> Int? { await onThread { try? container.resolve(Motor.self).power } }
    /// Waits until a number of threads wait for the motor.
    @Sendable func waiting(_ count: Int) async throws {
      try await eventually {
        CreationState.shared.withLock { state in
          state.waitingFor.values.count { $0.cell == ObjectIdentifier(cell) } == count
        }
      }
    }
    async let powers = inTime {
      await withTaskGroup(of: (isLate: Bool, power: Int?).self) { group in
        group.addTask { (false, await power()) }
        await onThread { hasBegun.wait() }
        for _ in 0..<3 { group.addTask { (false, await power()) } }
        try? await waiting(3)
        _ = container.retireInstances { _ in true }
        for _ in 0..<3 { group.addTask { (true, await power()) } }
        try? await waiting(6)
        mayEnd.signal()
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    let all = try #require(await powers)
    #expect(all.filter { !$0.isLate }.map(\.power) == [1, 1, 1, 1])
    #expect(all.filter(\.isLate).map(\.power) == [2, 2, 2])
    #expect(try container.resolve(Motor.self).power == 2)
    #expect(created.value == 2)
  }
}
