import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolve(_:named:)' is unavailable: Pass the type, not an instance of it: resolve(T.self).
  _ = try container.resolve(SystemClock())
}
