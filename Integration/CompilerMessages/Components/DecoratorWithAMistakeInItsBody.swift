import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: value of type 'Motor' has no member 'strength'
    Component.decorating(Motor.self) { _, motor in Motor(power: motor.strength) }
  }
}
