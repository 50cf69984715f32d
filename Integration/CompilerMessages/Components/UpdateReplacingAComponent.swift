import TenonCore

private func mistake(container: ComponentContainer) throws {
  try container.update {
    // error: 'replace' is unavailable: Pass a list of components: replace { Component(T.self) { … } }.
    $0.replace(Component((any Clock).self) { _ in SystemClock() })
  }
}
