import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'decorating(_:named:isOptional:file:line:create:)' is unavailable: Declare what the closure receives after the decorated instance: needs: .required(T.self).
    Component.decorating(Motor.self) { _, motor, clock in motor }
  }
}
