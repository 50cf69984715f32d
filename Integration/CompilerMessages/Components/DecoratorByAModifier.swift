import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: static member 'decorating' cannot be used on instance of type 'Component<_>'
    Component(Motor.self) { _ in Motor() }.decorating { _, motor in motor }
  }
}
