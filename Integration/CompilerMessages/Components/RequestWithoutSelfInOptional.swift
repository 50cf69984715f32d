import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: type 'Notebook' does not conform to the 'Sendable' protocol
  let radio: Notebook? = try container.resolve()
  _ = radio
}
