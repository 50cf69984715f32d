import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: cannot convert value of type 'SystemClock' to closure result type 'any Engine'
    Component((any Engine).self) { _ in SystemClock() }
  }
}
