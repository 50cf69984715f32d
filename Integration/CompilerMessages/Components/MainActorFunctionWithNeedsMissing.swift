import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'onMainActor(from:needs:file:line:)' is unavailable: State one need for each parameter of the function: .named("…") or .inferred.
    Component.onMainActor(from: Screen.init(clock:), needs: .inferred, .inferred)
  }
}
