import Dispatch
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// R5: creation on several threads.
@Suite(.limited) struct ConcurrencyTests {
  @Test(arguments: 1...20)
  func r5ConcurrentTasksCreateAColdComponentOnce(round: Int) async throws {
    let created = Counter()
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in Motor(power: created.increment()) }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
    }
    let cars = try await withThrowingTaskGroup(of: Car.self) { group in
      for _ in 0..<300 { group.addTask { try container.resolve(Car.self) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(created.value == 1)
    #expect(cars.allSatisfy { $0 === cars[0] })
  }

  @Test func r5OtherThreadsWaitForTheCreation() async throws {
    let started = DispatchSemaphore(value: 0)
    let mayFinish = DispatchSemaphore(value: 0)
    let container = try ComponentContainer {
      Component(Motor.self) { _ in
        started.signal()
        mayFinish.wait()
        return Motor()
      }
    }
    async let first = onThread { Result { try container.resolve(Motor.self) } }
    async let second = onThread {
      started.wait()
      mayFinish.signal()
      return Result { try container.resolve(Motor.self) }
    }
    let (one, other) = try await (first.get(), second.get())
    #expect(one === other)
  }

  @Test func r5AWaiterRetriesWhenTheCreationThatItWaitedForFails() async throws {
    let tries = Counter()
    let container = try ComponentContainer {
      Component(Int.self) { _ in
        let number = tries.increment()
        if number == 1 { throw Failure() }
        return number
      }
    }
    let results = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<100 { group.addTask { try? container.resolve(Int.self) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.filter { $0 == nil }.count == 1)
    #expect(results.filter { $0 == 2 }.count == 99)
  }

  @Test func r5ACreationThatResolvesItselfIsAnErrorWithThePath() throws {
    struct Chicken: Sendable {}
    struct Egg: Sendable {}
    let container = try ComponentContainer {
      Component(Chicken.self, needs: .provider(Egg.self)) { _, egg in
        _ = try egg.get()
        return Chicken()
      }
      Component(Egg.self, needs: .provider(Chicken.self)) { _, chicken in
        _ = try chicken.get()
        return Egg()
      }
    }
    let thrown = error(ComponentError.self) { try container.resolve(Chicken.self) }
    #expect(thrown?.code == .cycle)
    #expect(thrown?.path == ["Chicken", "Egg", "Chicken"])
    // Other threads aren't blocked afterwards.
    #expect(
      error(ComponentError.self) { try container.resolve(Egg.self) }?.path == ["Egg", "Chicken", "Egg"]
    )
  }

  @Test func r5ACycleThroughTwoThreadsIsAnErrorNotADeadlock() async throws {
    struct Chicken: Sendable {}
    struct Egg: Sendable {}
    let chickenStarted = DispatchSemaphore(value: 0)
    let eggStarted = DispatchSemaphore(value: 0)
    let container = try ComponentContainer {
      Component(Chicken.self, needs: .provider(Egg.self)) { _, egg in
        chickenStarted.signal()
        eggStarted.wait()
        eggStarted.signal()
        _ = try egg.get()
        return Chicken()
      }
      Component(Egg.self, needs: .provider(Chicken.self)) { _, chicken in
        eggStarted.signal()
        chickenStarted.wait()
        chickenStarted.signal()
        _ = try chicken.get()
        return Egg()
      }
    }
    async let chicken = onThread { Result { try container.resolve(Chicken.self) } }
    async let egg = onThread { Result { try container.resolve(Egg.self) } }
    let errors = await [chicken.componentError, egg.componentError]
    #expect(errors.map(\.?.code) == [.cycle, .cycle])
    // Whichever thread detects the cycle, the error of each thread contains the needs that exist.
    #expect(errors.map(\.?.path) == [["Chicken", "Egg", "Chicken"], ["Egg", "Chicken", "Egg"]])
  }

  /// A unique component that a declared need resolves leaves no record on the waiting thread, but is part of
  /// the path.
  @Test func r5ACycleThroughTwoThreadsNamesTheUniqueComponentsOnItsWay() async throws {
    struct Egg: Sendable {}
    struct Nest: Sendable {}
    struct Twig: Sendable {}
    struct Chicken: Sendable {}
    struct Farm: Sendable {}
    let chickenStarted = DispatchSemaphore(value: 0)
    let eggIsAwaited = DispatchSemaphore(value: 0)
    let container = try ComponentContainer {
      Component(Farm.self, needs: .required(Chicken.self)) { _, _ in Farm() }
      Component(Chicken.self, needs: .provider(Egg.self)) { _, egg in
        chickenStarted.signal()
        eggIsAwaited.wait()
        eggIsAwaited.signal()
        _ = try egg.get()
        return Chicken()
      }
      Component(Egg.self, needs: .required(Nest.self)) { _, _ in Egg() }
      Component(Nest.self, needs: .optional(Twig.self)) { _, _ in Nest() }.scope(.unique)
      Component(Twig.self, needs: .required(Chicken.self)) { _, _ in Twig() }.scope(.unique)
    }
    let chicken = try #require(container.currentWiring.slot(ComponentKey(Chicken.self))?.cell)
    async let farm = onThread { Result { try container.resolve(Farm.self) } }
    async let egg = onThread {
      chickenStarted.wait()
      chickenStarted.signal()
      return Result { try container.resolve(Egg.self) }
    }
    do {
      defer { eggIsAwaited.signal() }
      try await eventually {
        CreationState.shared.withLock {
          $0.waitingFor.values.contains { $0.cell == ObjectIdentifier(chicken) }
        }
      }
    }
    let errors = await [farm.componentError, egg.componentError]
    #expect(
      errors.map(\.?.path) == [
        ["Chicken", "Egg", "Nest", "Twig", "Chicken"], ["Egg", "Nest", "Twig", "Chicken", "Egg"],
      ])
  }

  @Test func r5ATaskStartedByACreationWaitsForIt() async throws {
    let (tasks, started) = AsyncStream<Task<Motor, any Error>>.makeStream()
    let container = try ComponentContainer {
      Component(Motor.self, needs: .provider(Motor.self, named: "late")) { _, late in
        started.yield(Task { try late.get() })
        return Motor()
      }
      Component(Motor.self, needs: .provider(Motor.self)) { _, motor in try motor.get() }.named("late")
    }
    let motor = try container.resolve(Motor.self)
    for await task in tasks {
      #expect(try await task.value === motor)
      break
    }
  }
}
