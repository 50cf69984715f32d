import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Screen.self, needs: .required((any Clock).self)) {
      // error: call to main actor-isolated initializer 'init(clock:)' in a synchronous nonisolated context [#ActorIsolatedCall]
      _, clock in Screen(clock: clock)
    }
  }
}
