import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'providing(_:named:)' is unavailable: Convert the instance to the type: .providing(T.self) { $0 }.
    Component(SystemClock.self) { _ in SystemClock() }.providing((any Clock).self)
  }
}
