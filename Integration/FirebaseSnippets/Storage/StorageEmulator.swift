import TenonStorage

/// The emulator and the limits on time.
func storageEmulator() throws {
  let storage = try Storage.storage()
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, storageBucket: …, backend: .emulator(EmulatorHosts(storage: "127.0.0.1:9199")))).
  storage.useEmulator(withHost: "127.0.0.1", port: 9199)
  // expect: cannot assign value of type 'Int' to type 'Duration'
  storage.maxUploadRetryTime = 60
  // expect: cannot assign value of type 'Int' to type 'Duration'
  storage.maxDownloadRetryTime = 60
  // expect: cannot assign value of type 'Int' to type 'Duration'
  storage.maxOperationRetryTime = 60
}
