import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'init(from:file:line:)' is unavailable: Pass a function that creates the instance, such as T.init. To provide one that exists, write Component(T.self) { _ in instance }.
    Component(from: SystemClock())
  }
}
