import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: contextual closure type '@Sendable (ComponentContext, Motor) throws -> Motor' expects 2 arguments, but 1 was used in closure body
    Component.decorating(Motor.self) { _ in Motor() }
  }
}
