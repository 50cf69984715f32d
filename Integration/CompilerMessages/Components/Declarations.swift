import TenonCore

// What the mistakes beside this file refer to.
//
// Two of their messages are the compiler's, because no overload changes them:
// - `ResolveWithoutTypeInACall`: the call has a solution, `Any`, so the compiler doesn't consider what is
//   unavailable. That `Any` isn't `Sendable` is found afterwards.
// - `CreationInStatementsWithoutNeeds`: the parameters of a closure are inferred before its statements are
//   read, from the declarations that are available.

protocol Clock: Sendable { var hour: Int { get } }

struct SystemClock: Clock { let hour = 9 }

protocol Engine: Sendable { func start() }

struct Motor: Engine {
  var power = 1
  init() {}
  init(power: Int) { self.power = power }
  func start() {}
}

final class Greeter: Sendable {
  let clock: any Clock
  init(clock: any Clock) { self.clock = clock }
}

final class Car: Sendable {
  let clock: any Clock
  let engine: any Engine
  init(clock: any Clock, engine: any Engine) {
    self.clock = clock
    self.engine = engine
  }
}

struct Session: Sendable { let number: Int }

/// A class that isn't `Sendable`.
final class Notebook { var pages = 1 }

@MainActor final class Screen {
  let clock: any Clock
  init(clock: any Clock) { self.clock = clock }
}

struct Garage: ComponentSource {
  var components: [AnyComponent] { Component(Motor.self) { _ in Motor() } }
}

enum GarageLibrary: Library {
  static let name = "garage"
  static let version = SemanticVersion(1, 0, 0)
  static var components: [AnyComponent] { Component(Motor.self) { _ in Motor() } }
}
