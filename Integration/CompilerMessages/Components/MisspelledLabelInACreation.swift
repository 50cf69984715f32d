import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Greeter.self, needs: .required((any Clock).self)) { _, clock in
      // error: incorrect argument label in call (have 'clok:', expected 'clock:')
      Greeter(clok: clock)
    }
  }
}
