import Dispatch
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// Overrides where task-local values don't reach.
@Suite(.limited) struct EscapedOverridesTests {
  private static let container = try! ComponentContainer {
    Component((any Engine).self) { _ in Motor(power: 1) }
    Component([Int].self, needs: .required((any Engine).self)) { _, engine in [engine.power] }
  }

  private static func power() -> Int? { try? container.resolve([Int].self).first }

  @Test func overridesContinueInADetachedTask() async throws {
    try await withOverrides {
      Component((any Engine).self) { _ in Motor(power: 2) }
    } operation: {
      let (lost, synchronous, asynchronous) = await withEscapedOverrides { overrides in
        let lost = await Task.detached { Self.power() }.value
        let synchronous = await Task.detached { overrides.yield { Self.power() } }.value
        let asynchronous = await Task.detached {
          await overrides.yield {
            await Task.yield()
            return Self.power()
          }
        }.value
        return (lost, synchronous, asynchronous)
      }
      #expect(lost == 1)
      #expect(synchronous == 2)
      #expect(asynchronous == 2)
    }
    #expect(Self.power() == 1)
  }

  @Test func overridesContinueOnADispatchQueue() async throws {
    let power = try await withOverrides {
      Component((any Engine).self) { _ in Motor(power: 3) }
    } operation: {
      await withCheckedContinuation { continuation in
        withEscapedOverrides { overrides in
          DispatchQueue.global().async { continuation.resume(returning: overrides.yield { Self.power() }) }
        }
      }
    }
    #expect(power == 3)
  }

  @Test func theCurrentContainerContinues() async throws {
    struct Screen: Sendable { @Injected var engine: any Engine }
    let power = await ComponentContainer.withCurrent(Self.container) {
      await withEscapedOverrides { overrides in
        await Task.detached { overrides.yield { Screen().engine.power } }.value
      }
    }
    #expect(power == 1)
  }

  @Test func theContinuedOverridesReplaceThoseOfTheCaller() async throws {
    let outer = try await withOverrides {
      Component((any Engine).self) { _ in Motor(power: 4) }
    } operation: {
      try await withEscapedOverrides { overrides in
        try await withOverrides {
          Component((any Engine).self) { _ in Motor(power: 5) }
        } operation: {
          #expect(Self.power() == 5)
          return overrides.yield { Self.power() }
        }
      }
    }
    #expect(outer == 4)
  }

  @Test func withoutOverridesTheOperationRunsAsUsual() async {
    #expect(withEscapedOverrides { $0.yield { Self.power() } } == 1)
  }

  /// Neither the live component nor an instance that nothing would delete.
  @Test(arguments: [true, false]) func overridesThatHaveEndedAreAnError(isUsed: Bool) async throws {
    let overrides = try await withOverrides {
      Component((any Engine).self) { _ in Motor(power: 6) }
    } operation: {
      if isUsed { #expect(Self.power() == 6) }
      return withEscapedOverrides { $0 }
    }
    let thrown = error(ComponentError.self) { try overrides.yield { try Self.container.resolve([Int].self) } }
    #expect(thrown?.code == .containerDeleted)
    #expect(thrown?.reason == "The container can't be used with overrides that have ended.")
  }
}
