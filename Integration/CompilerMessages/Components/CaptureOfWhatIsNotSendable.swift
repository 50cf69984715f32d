import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    let notebook = Notebook()
    Component(Int.self) { _ in
      // error: capture of 'notebook' with non-Sendable type 'Notebook' in a '@Sendable' closure [#SendableClosureCaptures]
      notebook.pages
    }
  }
}
