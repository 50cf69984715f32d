import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// Providers cache the location of an instance, and invalidate it when the location changes.
@Suite(.limited) struct ProviderTests {
  final class Holder: Sendable {
    let motor: Provider<Motor>
    init(_ motor: Provider<Motor>) { self.motor = motor }
  }

  private static func container(_ created: Counter = Counter()) throws -> ComponentContainer {
    try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: created.increment()) }
      Component(Holder.self, needs: .provider(Motor.self)) { Holder($1) }
    }
  }

  @Test func r7AWarmProviderTakesNoLock() throws {
    let container = try Self.container()
    let provider = try container.resolve(Holder.self).motor
    let first = try provider.get()
    // The lock isn't recursive: if `get` acquired it, this would deadlock.
    let again = try CreationState.shared.withLock { _ in try provider.get() }
    #expect(again === first)
  }

  @Test func aProviderFollowsResetsAndUpdates() async throws {
    let container = try Self.container()
    let provider = try container.resolve(Holder.self).motor
    #expect(try [provider.get().power, provider.get().power] == [1, 1])
    await container.reset()
    #expect(try [provider.get().power, provider.get().power] == [2, 2])
    await (try container.update { $0.replace { Component(Motor.self) { _ in Motor(power: 100) } } }).value
    #expect(try [provider.get().power, provider.get().power] == [100, 100])
    await
      (try container.update {
        $0.replace { Component(Motor.self) { _ in Motor(power: 7) }.scope(.unique) }
      }).value
    let (one, other) = try (provider.get(), provider.get())
    #expect(one !== other)
  }

  /// The cached component and its instance remain; only the name now belongs to another component.
  @Test func aProviderFollowsANameThatMovesToAnotherComponent() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor(power: 1) }.named("Main").automaticAliases()
      Component(Holder.self, needs: .provider(Motor.self, named: "main")) { Holder($1) }
    }
    let provider = try container.resolve(Holder.self).motor
    #expect(try [provider.get().power, provider.get().power] == [1, 1])
    try container.update { $0.install { Component(Motor.self) { _ in Motor(power: 2) }.named("main") } }
    #expect(try [provider.get().power, provider.get().power] == [2, 2])
    #expect(try container.resolve(Motor.self, named: "Main").power == 1)
  }

  @Test func r8AProviderThrowsAfterDeletion() async throws {
    let container = try Self.container()
    let provider = try container.resolve(Holder.self).motor
    _ = try provider.get()
    await container.delete()
    #expect(error(ComponentError.self) { try provider.get() }?.code == .containerDeleted)
  }

  /// Instances that reference each other through providers would otherwise keep each other alive.
  @Test func providersDoNotKeepInstancesOfAReleasedContainer() throws {
    final class Left: Sendable {
      let right: Provider<Right>
      init(_ right: Provider<Right>) { self.right = right }
    }
    final class Right: Sendable {
      let left: Provider<Left>
      init(_ left: Provider<Left>) { self.left = left }
    }
    weak var left: Left?
    weak var right: Right?
    var provider: Provider<Right>?
    do {
      let container = try ComponentContainer {
        Component(Left.self, needs: .provider(Right.self)) { Left($1) }
        Component(Right.self, needs: .provider(Left.self)) { Right($1) }
      }
      let instance = try container.resolve(Left.self)
      left = instance
      right = try instance.right.get()
      #expect(try right?.left.get() === instance)
      provider = instance.right
    }
    #expect(left == nil)
    #expect(right == nil)
    #expect(error(ComponentError.self) { try provider?.get() }?.code == .containerDeleted)
  }

  @Test func r10AProviderOfAChildReturnsTheChildsInstance() throws {
    let container = try Self.container()
    _ = try container.resolve(Holder.self).motor.get()
    let child = try container.child { Component(Motor.self) { _ in Motor(power: 50) } }
    #expect(try child.resolve(Holder.self).motor.get().power == 50)
    #expect(try container.resolve(Holder.self).motor.get().power == 1)
  }
}
