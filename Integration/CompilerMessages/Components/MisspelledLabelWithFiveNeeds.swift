import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(
      Greeter.self, needs: .required((any Clock).self), .required((any Engine).self), .required(Int.self),
      .required(Bool.self), .required(Double.self)
    ) { _, clock, _, _, _, _ in
      // error: incorrect argument label in call (have 'clok:', expected 'clock:')
      Greeter(clok: clock)
    }
  }
}
