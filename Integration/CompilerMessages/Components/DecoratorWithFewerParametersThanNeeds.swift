import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component.decorating(Motor.self, needs: .required((any Clock).self)) {
      // error: contextual closure type '@Sendable (ComponentContext, Motor, any Clock) throws -> Motor' expects 3 arguments, but 2 were used in closure body
      _, motor in motor
    }
  }
}
