import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Car.self, needs: .required((any Clock).self)) {
      // error: contextual closure type '@Sendable (ComponentContext, __owned any Clock) throws -> Car' expects 2 arguments, but 3 were used in closure body
      _, clock, engine in Car(clock: clock, engine: engine)
    }
  }
}
