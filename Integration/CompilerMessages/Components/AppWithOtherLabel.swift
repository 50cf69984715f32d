import TenonCore

private func mistake() throws {
  // error: incorrect argument label in call (have 'name:', expected 'named:')
  try App.configure(name: "second")
}
