import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolveIfPresent(named:)' is unavailable: Say which type: resolveIfPresent(T.self).
  if let clock = try container.resolveIfPresent() { print(clock) }
}
