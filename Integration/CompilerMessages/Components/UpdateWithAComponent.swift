import TenonCore

private func mistake(container: ComponentContainer) throws {
  try container.update {
    // error: 'install' is unavailable: Pass a list of components: install { Component(T.self) { … } }.
    $0.install(Component((any Clock).self) { _ in SystemClock() })
  }
}
