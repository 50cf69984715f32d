import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: ambiguous use of 'init'
    Component(from: Motor.init)
  }
}
