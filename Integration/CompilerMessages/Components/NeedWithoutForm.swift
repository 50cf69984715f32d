import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: cannot convert value of type '(any Clock).Type' to expected argument type 'Dependency<any Clock>'
    Component(Greeter.self, needs: (any Clock).self) { _, clock in Greeter(clock: clock) }
  }
}
