import TenonStore

/// The emulator, with the type's name already changed.
func emulatorRenamed() throws {
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:8080")))).
  try Store.store().useEmulator(withHost: "127.0.0.1", port: 8080)
}
