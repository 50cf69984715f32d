import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolve(_:name:)' has been renamed to 'resolve(_:named:)'
  _ = try container.resolve((any Clock).self, name: "utc")
}
