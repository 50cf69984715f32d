import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(_:needs:arguments:_:_:_:_:_:file:line:create:)' is unavailable: A component takes up to four arguments: pass several values as one structure.
    Component(
      Session.self, arguments: Int.self, Int.self, Int.self, Int.self, Int.self
    ) { _, number, _, _, _, _ in Session(number: number) }
  }
}
