import TenonCore

private func mistake(container: ComponentContainer) throws {
  // error: 'resolve' is unavailable: Pass the type, and the name with its label: resolve(T.self, named: "…").
  let motor: Motor = try container.resolve("main")
  motor.start()
}
