import TenonCore

private func mistake() throws {
  // error: cannot convert value of type '[String : String]' to expected argument type 'AppOptions'
  try App.configure(options: ["projectID": "demo"])
}
