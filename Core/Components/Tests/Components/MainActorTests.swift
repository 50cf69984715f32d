import Dispatch
import TenonTestSupport
import Testing

@testable import TenonCore

/// R12: components that are isolated to the main actor.
@Suite(.limited) struct MainActorTests {
  @MainActor final class Screen {
    let number: Int
    var title = "new"
    init(number: Int) { self.number = number }
  }

  private static func container(_ created: Counter = Counter()) throws -> ComponentContainer {
    try ComponentContainer {
      Component(Int.self) { _ in 7 }
      Component.onMainActor(Screen.self, needs: .required(Int.self)) { _, number in
        MainActor.assertIsolated()
        created.increment()
        return Screen(number: number)
      }
      Component(String.self, needs: .provider(Screen.self)) { _, screen in
        _ = try screen.get()
        return "has a screen"
      }
    }
  }

  @MainActor @Test func r12AMainActorComponentIsCreatedAndUsedOnTheMainActor() throws {
    let container = try Self.container()
    let screen = try container.resolve(Screen.self)
    screen.title = "changed"
    #expect(screen.number == 7)
    #expect(try container.resolveOnMainActor(Screen.self) === screen)
    #expect(try container.resolve(String.self) == "has a screen")
  }

  @Test func r12AMainActorComponentCanBeAwaitedFromAnyThread() async throws {
    let container = try Self.container()
    let screen = try await container.resolveOnMainActor(Screen.self)
    #expect(await screen.title == "new")
    // After its creation, the instance can be resolved on any thread.
    let other = await onThread { Result { try container.resolve(Screen.self) } }
    #expect(try other.get() === screen)
  }

  @Test func r12ResolvingItOffTheMainActorIsAnErrorWithThePath() async throws {
    let container = try Self.container()
    let thrown = await onThread { Result { try container.resolve(String.self) }.componentError }
    #expect(
      thrown?.description == """
        TENON-209: Screen is created on the main actor, but was requested outside of it.
          path: String → Screen
          - Ask for it on the main actor.
          - Call await resolveOnMainActor(Screen.self) from anywhere.
        """)
    #expect(thrown?.code == .notOnMainActor)
    // Other threads aren't blocked afterwards.
    #expect(try await container.resolveOnMainActor(String.self) == "has a screen")
  }

  @Test func r12TheMainQueueCountsAsTheMainActor() async throws {
    let container = try Self.container()
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        continuation.resume(returning: Result { try container.resolve(Screen.self) })
      }
    }
    #expect(throws: Never.self) { try result.get() }
  }

  @Test func r5ConcurrentMainActorTasksCreateItOnce() async throws {
    let created = Counter()
    let container = try Self.container(created)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try await container.resolveOnMainActor(Screen.self) } }
      try await group.waitForAll()
    }
    #expect(created.value == 1)
  }

  @Test func r12MainActorComponentsSupportEveryScope() async throws {
    let container = try ComponentContainer {
      Component.onMainActor(Screen.self) { _ in Screen(number: 1) }.scope(.unique)
    }
    let first = try await container.resolveOnMainActor(Screen.self)
    #expect(try await container.resolveOnMainActor(Screen.self) !== first)
  }

  @Test func r12TheParametersOfAMainActorInitializerAreItsNeeds() async throws {
    let container = try ComponentContainer {
      Component(Int.self) { _ in 7 }
      Component(Int.self) { _ in 8 }.named("second")
      Component.onMainActor(from: Screen.init(number:))
      Component.onMainActor(from: Screen.init(number:), needs: .named("second")).named("second")
      Component.onMainActor(
        from: { () -> String in
          MainActor.assertIsolated()
          return "main"
        }
      ).scope(.unique)
    }
    #expect(try await container.resolveOnMainActor(Screen.self).number == 7)
    #expect(try await container.resolveOnMainActor(Screen.self, named: "second").number == 8)
    #expect(try await container.resolveOnMainActor(String.self) == "main")
    let thrown = await onThread { Result { try container.resolve(String.self) }.componentError }
    #expect(thrown?.code == .notOnMainActor)
  }
}
