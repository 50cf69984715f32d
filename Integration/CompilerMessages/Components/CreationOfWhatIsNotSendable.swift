import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: type 'Notebook' does not conform to the 'Sendable' protocol
    Component(Notebook.self) { _ in Notebook() }
  }
}
