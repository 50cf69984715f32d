import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: type 'Dependency<any Clock>' has no member 'lazy'
    Component(Greeter.self, needs: .lazy((any Clock).self)) { _, clock in Greeter(clock: clock) }
  }
}
