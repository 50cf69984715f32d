import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: type 'Notebook' does not conform to the 'Sendable' protocol
  _ = try container.resolve(Session.self, arguments: Notebook())
}
