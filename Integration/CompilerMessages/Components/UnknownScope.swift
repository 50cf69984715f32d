import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'singleton' has been renamed to 'shared'
    Component((any Clock).self) { _ in SystemClock() }.scope(.singleton)
  }
}
