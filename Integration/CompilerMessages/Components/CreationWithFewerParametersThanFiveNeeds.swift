import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(_:needs:_:_:_:_:file:line:create:)' is unavailable: The closure receives the context and then one value for each need, in their order.
    Component(
      Greeter.self, needs: .required((any Clock).self), .required((any Engine).self), .required(Int.self),
      .required(Bool.self), .required(Double.self)
    ) {
      _, clock in Greeter(clock: clock)
    }
  }
}
