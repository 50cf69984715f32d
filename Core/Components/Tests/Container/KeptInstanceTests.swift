import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// `context.doNotKeepInstance()`: a creation that decides whether its instance is kept.
@Suite(.limited) struct KeptInstanceTests {
  /// A component that keeps its instance from a given creation on.
  private static func motor(keepingFrom first: Int, _ created: Counter = Counter()) -> Component<Motor> {
    Component(Motor.self) { context in
      let number = created.increment()
      if number < first { context.doNotKeepInstance() }
      return Motor(power: number)
    }
  }

  @Test func anInstanceIsCreatedAgainUntilItsCreationKeepsIt() throws {
    let container = try ComponentContainer { Self.motor(keepingFrom: 3) }
    let powers = try (0..<4).map { _ in try container.resolve(Motor.self).power }
    #expect(powers == [1, 2, 3, 3])
  }

  @Test func theOtherTypesOfAnInstanceThatIsNotKeptAreNotKeptEither() throws {
    let container = try ComponentContainer {
      Self.motor(keepingFrom: 3).providing((any Engine).self) { $0 }.contributing(to: Int.self) { $0.power }
    }
    #expect(try container.resolve((any Engine).self).power == 1)
    #expect(try container.resolveAll(Int.self) == [2])
    #expect(try container.resolve((any Engine).self).power == 3)
    #expect(try container.resolve(Motor.self).power == 3)
    #expect(try container.resolveAll(Int.self) == [3])
  }

  @Test func oneRequestReceivesOneInstanceAndWhatNeedsItKeepsIt() throws {
    let container = try ComponentContainer {
      Self.motor(keepingFrom: .max).providing((any Engine).self) { $0 }.onCreate { motor, container in
        let found = try container.resolve(Motor.self)
        #expect(found === motor)
      }
      Component(Car.self, needs: .required((any Engine).self), .required(Motor.self)) { _, engine, motor in
        #expect(engine as? Motor === motor)
        return Car(engine: engine)
      }
    }
    let car = try container.resolve(Car.self)
    #expect(car.engine.power == 1)
    #expect(try container.resolve(Motor.self).power == 2)
    #expect(try container.resolve(Car.self) === car)
  }

  @Test func aWeakInstanceThatIsNotKeptIsNotFound() throws {
    let container = try ComponentContainer { Self.motor(keepingFrom: 2).scope(.weak) }
    let first = try container.resolve(Motor.self)
    let second = try container.resolve(Motor.self)
    #expect(first !== second)
    #expect(try container.resolve(Motor.self) === second)
  }

  @Test func neitherStartNorDeletionConcernsAnInstanceThatIsNotKept() async throws {
    let journal = Journal()
    let container = try ComponentContainer {
      Self.motor(keepingFrom: 3).timing(.eager)
        .onStart { journal.note("start \($0.power)") }
        .onDelete { journal.note("delete \($0.power)") }
    }
    try await container.start()
    #expect(journal.entries == [])
    try await container.start()
    await container.delete()
    #expect(journal.entries == ["start 3", "delete 3"])
  }

  @Test func aDecisionOfACreationThatFailsIsForgotten() throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component(Motor.self) { context in
        if created.increment() == 1 {
          context.doNotKeepInstance()
          throw Failure()
        }
        return Motor()
      }
      Component(Car.self, needs: .provider(Motor.self)) { _, motor in
        #expect(throws: ComponentError.self) { try motor.get() }
        return Car(engine: try motor.get())
      }
    }
    let car = try container.resolve(Car.self)
    #expect(try container.resolve(Motor.self) === car.engine as? Motor)
  }

  /// A context that leaves its creation decides nothing.
  @Test func theDecisionIsThatOfTheCreation() async throws {
    let contexts = Lock<[ComponentContext]>([])
    let container = try ComponentContainer {
      Component(Motor.self) { context in
        contexts.withLock { $0.append(context) }
        return Motor()
      }
      Component(Car.self, needs: .provider(Motor.self)) { _, motor in
        contexts.withLock { $0 }.first?.doNotKeepInstance()
        return Car(engine: try motor.get())
      }
    }
    _ = try container.resolve(Motor.self)
    await container.reset()
    let car = try container.resolve(Car.self)
    contexts.withLock { $0 }.first?.doNotKeepInstance()
    #expect(try container.resolve(Car.self) === car)
    #expect(try container.resolve(Motor.self) === car.engine as? Motor)
  }

  @Test func everyThreadReceivesAnInstanceThatIsNotKept() async throws {
    let created = Counter()
    let container = try ComponentContainer { Self.motor(keepingFrom: .max, created) }
    let powers = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try container.resolve(Motor.self).power } }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(powers == Set(1...8))
  }
}
