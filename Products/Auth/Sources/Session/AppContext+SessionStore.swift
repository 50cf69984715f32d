import TenonCore

extension AppContext {
  /// Where an app that brings no ``SessionStore`` keeps its session: in the keychain where there is one and the options
  /// name no directory, otherwise in a private file; in memory when the app keeps everything there.
  var standardSessionStore: any SessionStore {
    get throws {
      guard let directory = try directory(for: AuthLibrary.name) else { return MemorySessionStore() }
      #if canImport(Security)
        if case .automatic = options.data, options.backend.kind != .embedded,
          let keychain = KeychainSessionStore(
            service: "tenon-auth.\(options.projectID)", account: name, directory: directory)
        {
          return keychain
        }
      #endif
      return FileSessionStore(directory: directory)
    }
  }
}
