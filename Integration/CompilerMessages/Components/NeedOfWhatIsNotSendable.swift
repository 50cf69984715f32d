import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: type 'Notebook' does not conform to the 'Sendable' protocol
    Component(Int.self, needs: .required(Notebook.self)) { _, notebook in notebook.pages }
  }
}
