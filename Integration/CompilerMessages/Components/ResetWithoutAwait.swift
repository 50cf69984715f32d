import TenonCore

private func mistake(container: ComponentContainer) async throws {
  // error: expression is 'async' but is not marked with 'await'
  container.reset()
}
