import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'handle(named:)' is unavailable: Say which type: handle(T.self).
  let handle = container.handle()
  _ = handle
}
