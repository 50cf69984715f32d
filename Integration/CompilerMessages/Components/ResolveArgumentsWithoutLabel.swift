import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolve' is unavailable: Label what follows the type: resolve(T.self, named: …) or resolve(T.self, arguments: …).
  _ = try container.resolve(Session.self, 3)
}
