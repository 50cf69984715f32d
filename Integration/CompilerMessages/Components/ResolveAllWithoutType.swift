import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolveAll(named:)' is unavailable: Say which type: resolveAll(T.self).
  for plugin in try container.resolveAll() { print(plugin) }
}
