import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: cannot convert value of type 'Int' to expected argument type 'String'
    Component((any Clock).self) { _ in SystemClock() }.named(1)
  }
}
