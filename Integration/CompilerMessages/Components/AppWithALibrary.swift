import TenonCore

private func mistake() throws {
  // error: cannot convert value of type 'GarageLibrary.Type' to expected argument type '[any Library.Type]'
  try App.configure(libraries: GarageLibrary.self)
}
