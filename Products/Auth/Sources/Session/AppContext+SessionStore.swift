import TenonCore

extension AppContext {
  /// The store of an app that provides no ``SessionStore``: the keychain if there is one, the options name no
  /// directory and the backend isn't the embedded one; otherwise a private file; memory if the app stores
  /// nothing.
  ///
  /// - Throws: the error of creating the app's private directory.
  var standardSessionStore: any SessionStore {
    get throws {
      guard let directory = try directory(for: AuthLibrary.name) else { return MemorySessionStore() }
      #if canImport(Security)
        if options.storesByProject, let projectID = options.projectID,
          let keychain = KeychainSessionStore(
            service: "tenon-auth.\(projectID)", account: name, directory: directory)
        {
          return keychain
        }
      #endif
      return FileSessionStore(directory: directory)
    }
  }
}
