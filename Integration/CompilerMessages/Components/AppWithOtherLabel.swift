import TenonCore

private func mistake() throws {
  // error: 'configure(named:options:)' has been renamed to 'configure(name:options:)'
  try App.configure(named: "second")
}
