import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: contextual closure type '@Sendable (Motor, ComponentContainer) throws -> Void' expects 2 arguments, but 1 was used in closure body
    Component(Motor.self) { _ in Motor() }.onCreate { motor in motor.start() }
  }
}
