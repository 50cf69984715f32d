import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Greeter.self, needs: .optional((any Clock).self)) {
      // error: value of optional type '(any Clock)?' must be unwrapped to a value of type 'any Clock'
      _, clock in Greeter(clock: clock)
    }
  }
}
