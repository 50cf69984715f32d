import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'named' is unavailable: Pass the name with the type: .required(T.self, named: "…").
    Component(Greeter.self, needs: .required((any Clock).self).named("utc")) { _, clock in
      Greeter(clock: clock)
    }
  }
}
