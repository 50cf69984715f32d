import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'onMainActor(_:needs:file:line:create:)' is unavailable: The closure receives the context and then one value for each need, in their order.
    Component.onMainActor(Screen.self, needs: .required((any Clock).self)) { _ in
      Screen(clock: SystemClock())
    }
  }
}
