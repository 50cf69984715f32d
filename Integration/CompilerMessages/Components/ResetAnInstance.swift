import TenonCore

private func mistake(container: ComponentContainer) async throws {
  // error: 'reset(_:named:)' is unavailable: Pass the types: reset(T.self), or reset(A.self, B.self).
  try await container.reset(Motor())
}
