import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'buildExpression' is unavailable: A list contains components, sources of components, and other lists. To provide this, write Component(T.self) { _ in … }.
    print("components")
    Component(Motor.self) { _ in Motor() }
  }
}
