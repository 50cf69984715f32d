import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'providing(_:named:_:)' is unavailable: The closure returns something that isn't an instance of the provided type.
    Component(SystemClock.self) { _ in SystemClock() }.providing((any Engine).self) { clock in
      print("The clock is provided.")
      return clock
    }
  }
}
