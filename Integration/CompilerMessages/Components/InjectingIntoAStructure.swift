import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'injecting(_:named:)' is unavailable: The property must be a variable of a class. Pass a constant to the initializer, as a need.
    Component(Motor.self) { _ in Motor() }.injecting(\.power)
  }
}
