import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'update' is unavailable: Say what to do with the components: update { $0.install { … } } or $0.replace.
  try container.update {
    Component((any Clock).self) { _ in SystemClock() }
  }
}
