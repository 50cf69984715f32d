import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: type 'Notebook' does not conform to the 'Sendable' protocol
  let notebook: Notebook = try container.resolve()
  _ = notebook
}
