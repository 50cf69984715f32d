import TenonTestSupport
import Testing

@testable import TenonCore

/// R3: the value of an optional need.
@Suite(.limited) struct OptionalNeedsTests {
  private static func car(_ engine: Component<any Engine>?) throws -> ComponentContainer {
    try ComponentContainer {
      if let engine { engine }
      Component([Int].self, needs: .optional((any Engine).self)) { _, engine in
        engine.map { [$0.power] } ?? []
      }
      Component(String.self, needs: .provider([Int].self)) { _, numbers in "\(try numbers.get())" }
    }
  }

  @Test func r3AnUnprovidedOptionalIsNil() throws {
    #expect(try Self.car(nil).resolve([Int].self) == [])
  }

  @Test func r3AProvidedOptionalIsPassed() throws {
    let engine = Component((any Engine).self) { _ in Motor(power: 7) }
    #expect(try Self.car(engine).resolve([Int].self) == [7])
  }

  @Test func r3AProviderThatFailsIsAnErrorNotNil() throws {
    let container = try Self.car(Component((any Engine).self) { _ in throw Failure() })
    let thrown = error(ComponentError.self) { try container.resolve([Int].self) }
    #expect(thrown?.code == .creationFailed)
    #expect(thrown?.underlying as? Failure == Failure())
    #expect(thrown?.path == ["Array<Int>", "any Engine"])
  }

  @Test func r3AProviderThatDeclinesIsNilToOptional() throws {
    let container = try Self.car(Component((any Engine).self) { _ in throw ComponentUnavailable("no fuel") })
    #expect(try container.resolve([Int].self) == [])
    #expect(try container.resolveIfPresent((any Engine).self) == nil)
  }

  @Test func r3AProviderThatDeclinesIsAnErrorWithItsReasonToRequired() throws {
    let container = try ComponentContainer {
      Component((any Engine).self) { _ in throw ComponentUnavailable("no fuel") }
      Component(Car.self, needs: .required((any Engine).self)) { _, engine in Car(engine: engine) }
      Component(String.self, needs: .optional(Car.self)) { _, car in car == nil ? "on foot" : "by car" }
    }
    let thrown = error(ComponentError.self) { try container.resolve(Car.self) }
    #expect(thrown?.code == .unavailable)
    #expect(
      thrown?.description == "TENON-203: any Engine isn't available: no fuel\n  path: Car → any Engine")
    // The car didn't decline but failed, so an optional need must throw its error.
    #expect(error(ComponentError.self) { try container.resolve(String.self) }?.code == .unavailable)
  }

  /// The keys are the same, the components aren't: the child's component doesn't decline, it fails.
  @Test func r3AComponentWhoseParentsComponentDeclinesFails() throws {
    let parent = try ComponentContainer {
      Component((any Engine).self) { _ in throw ComponentUnavailable("no fuel") }
    }
    let child = try parent.child {
      Component((any Engine).self, needs: .required((any Engine).self)) { _, engine in engine }
        .contributing(to: (any Engine).self) { $0 }
      Component([Int].self, needs: .optional((any Engine).self)) { _, engine in
        engine.map { [$0.power] } ?? []
      }
      Component([String].self, needs: .all((any Engine).self)) { _, engines in engines.map { "\($0.power)" } }
    }
    func thrown(_ request: () throws -> Any?) -> ComponentError? {
      error(ComponentError.self) { try request() }
    }
    let errors = [
      thrown { try child.resolveIfPresent((any Engine).self) },
      thrown { try child.resolveAll((any Engine).self) },
      thrown { try child.resolve([Int].self) },
      thrown { try child.resolve([String].self) },
    ]
    #expect(errors.map { $0?.code } == [.unavailable, .unavailable, .unavailable, .unavailable])
    #expect(errors.first??.path == ["any Engine", "any Engine"])
    // The parent's component itself declines.
    #expect(try parent.resolveIfPresent((any Engine).self) == nil)
  }

  @Test func r3ADecliningInstanceDeclinesUnderEveryType() throws {
    let container = try ComponentContainer {
      Component(Motor.self) { _ in throw ComponentUnavailable("no fuel") }
        .providing((any Engine).self) { $0 }
        .contributing(to: (any Radio).self) { $0 }
      Component(Int.self) { _ in 1 }.providing((any Radio).self) { _ in throw ComponentUnavailable("mute") }
    }
    #expect(try container.resolveIfPresent((any Engine).self) == nil)
    #expect(try container.resolveIfPresent((any Radio).self) == nil)
    #expect(try container.resolveAll((any Radio).self).isEmpty)
    #expect(try container.resolve(Int.self) == 1)
  }
}
