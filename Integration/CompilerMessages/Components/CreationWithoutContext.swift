import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
    Component((any Clock).self) { SystemClock() }
  }
}
