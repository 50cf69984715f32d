import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: expected member name or initializer call after type name
  _ = try container.resolve(SystemClock)
}
