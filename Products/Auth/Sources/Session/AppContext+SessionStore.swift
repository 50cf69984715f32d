import TenonCore

extension AppContext {
  /// The store of an app that provides no ``SessionStore``: the keychain, where there is one and the options name no
  /// directory; otherwise a private file; memory if the app keeps everything there.
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
