import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(_:needs:arguments:_:file:line:create:)' is unavailable: The closure receives the context, then one value for each argument, and then one for each need, in their order.
    Component(Session.self, arguments: Int.self) { _ in Session(number: 1) }
  }
}
