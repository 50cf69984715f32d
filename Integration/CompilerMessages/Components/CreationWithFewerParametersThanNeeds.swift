import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Greeter.self, needs: .required((any Clock).self), .required((any Engine).self)) {
      // error: contextual closure type '@Sendable (ComponentContext, __owned any Clock, __owned any Engine) throws -> Greeter' expects 3 arguments, but 2 were used in closure body
      _, clock in Greeter(clock: clock)
    }
  }
}
