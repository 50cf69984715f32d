// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseStorage)
  public import TenonCore

  extension Storage {
    /// Unavailable: the emulator is an option of the app.
    @available(
      *, unavailable,
      message: """
        The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, storageBucket: \
        …, backend: .emulator(EmulatorHosts(storage: "127.0.0.1:9199")))).
        """
    )
    public func useEmulator(withHost host: String, port: Int) { unavailable() }

    /// Unavailable: the app is known where the instance is made.
    @available(*, unavailable, message: "Keep the app that you pass to Storage.storage(app: …).")
    public var app: App { unavailable() }
  }
#endif
