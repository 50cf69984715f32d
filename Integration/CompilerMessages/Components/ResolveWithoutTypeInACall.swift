import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: type 'Any' does not conform to the 'Sendable' protocol
  print(try container.resolve())
}
