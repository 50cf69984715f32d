import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(_:named:needs:file:line:create:)' is unavailable: Add the name with a modifier: Component(T.self) { … }.named("…").
    Component((any Clock).self, named: "utc") { _ in SystemClock() }
  }
}
