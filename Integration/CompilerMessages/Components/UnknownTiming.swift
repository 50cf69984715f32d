import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: type 'InstantiationTiming' has no member 'immediate'
    Component((any Clock).self) { _ in SystemClock() }.timing(.immediate)
  }
}
