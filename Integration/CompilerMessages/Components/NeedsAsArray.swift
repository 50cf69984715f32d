import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: cannot convert value of type '[Any]' to expected argument type 'Dependency<any Clock>'
    Component(Greeter.self, needs: [.required((any Clock).self)]) { _, clock in Greeter(clock: clock) }
  }
}
