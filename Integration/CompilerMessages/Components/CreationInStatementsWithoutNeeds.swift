import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: cannot infer type of closure parameter 'clock' without a type annotation
    Component(Greeter.self) { _, clock in
      print("A greeter is created.")
      return Greeter(clock: clock)
    }
  }
}
