import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(from:needs:file:line:)' is unavailable: State one need for each parameter of the function: .named("…") or .inferred.
    Component(from: Car.init(clock:engine:), needs: .required((any Engine).self), .required((any Clock).self))
  }
}
