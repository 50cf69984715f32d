import TenonFunctions

/// The emulator.
func functionsEmulator() throws {
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: .emulator(EmulatorHosts(functions: "127.0.0.1:5001")))).
  try Functions.functions().useEmulator(withHost: "127.0.0.1", port: 5001)
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: .emulator(EmulatorHosts(functions: "127.0.0.1:5001")))).
  try Functions.functions().useEmulator(withHost: "http://127.0.0.1", port: 5001)
}
