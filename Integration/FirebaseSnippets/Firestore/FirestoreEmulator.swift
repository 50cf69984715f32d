import TenonStore

/// The emulator, in both spellings.
func emulator() {
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'firestore()' has been renamed to 'store()'
  // expect: 'settings' is unavailable: Settings are passed where the database is opened: try Store.store(settings: settings).
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  let settings = Firestore.firestore().settings
  // expect: 'host' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:8080")))).
  settings.host = "127.0.0.1:8080"
  // expect: 'cacheSettings' is unavailable: Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, data: .memory) keeps them in memory. The size is garbageCollection: .leastRecentlyUsed(threshold: …).
  // expect: 'MemoryCacheSettings' is unavailable: Documents are kept in memory by an option of the app: AppOptions(projectID: …, data: .memory).
  settings.cacheSettings = MemoryCacheSettings()
  // expect: 'isSSLEnabled' is unavailable: The emulator is used without TLS, production with it. Remove the line.
  settings.isSSLEnabled = false
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'firestore()' has been renamed to 'store()'
  // expect: 'settings' is unavailable: Settings are passed where the database is opened: try Store.store(settings: settings).
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  Firestore.firestore().settings = settings
  // expect: 'Firestore' has been renamed to 'Store'
  // expect: 'firestore()' has been renamed to 'store()'
  // expect: 'useEmulator(withHost:port:)' is unavailable: The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:8080")))).
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  Firestore.firestore().useEmulator(withHost: "127.0.0.1", port: 8080)
}
