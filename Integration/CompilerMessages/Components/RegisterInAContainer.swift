import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'register(_:named:create:)' is unavailable: Declare components where the container is created, ComponentContainer { Component(T.self) { … } }, or change a live container with update { $0.install { … } }.
  container.register((any Clock).self) { _ in SystemClock() }
}
