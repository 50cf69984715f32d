import TenonCore

private func mistake() throws {
  // error: cannot convert value of type 'Garage' to expected argument type '[any ComponentSource]'
  try App.configure(sources: Garage())
}
