import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: contextual closure type '() throws -> [AnyComponent]' expects 0 arguments, but 1 was used in closure body
  _ = try container.child { $0.register((any Clock).self) { SystemClock() } }
}
