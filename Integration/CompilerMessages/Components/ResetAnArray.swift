import TenonCore

private func mistake(container: ComponentContainer) async throws {
  // error: 'reset' is unavailable: Pass the types without an array: reset(A.self, B.self).
  try await container.reset([Motor.self, Greeter.self])
}
