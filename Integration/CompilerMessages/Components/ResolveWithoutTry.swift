import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: call can throw but is not marked with 'try'
  let clock = container.resolve((any Clock).self)
  _ = clock
}
