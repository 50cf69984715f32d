import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(_:file:line:create:)' is unavailable: Declare what the closure receives after the context: needs: .required(T.self) for a dependency, arguments: T.self for a value that resolve passes.
    Component(Session.self) { _, number in Session(number: number) }
  }
}
