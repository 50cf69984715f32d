import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolve(named:)' is unavailable: Say which type: resolve(T.self), or let value: T = try resolve().
  let clock = try container.resolve()
  _ = clock
}
