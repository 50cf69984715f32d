import TenonCore

private func mistake() {
  // error: call can throw, but it is not marked with 'try' and the error is not handled
  _ = ComponentContainer { Component((any Clock).self) { _ in SystemClock() } }
}
