// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseFirestore)
  public import TenonCore

  /// Unavailable: it is ``Store``.
  @available(*, unavailable, renamed: "Store")
  public typealias Firestore = Store

  extension Store {
    /// Unavailable: it is ``store(app:database:settings:as:)``.
    @available(*, unavailable, renamed: "store()")
    public static func firestore() throws -> Store { unavailable() }

    /// Unavailable: it is ``store(app:database:settings:as:)``.
    @available(*, unavailable, renamed: "store(app:)")
    public static func firestore(app: App) throws -> Store { unavailable() }

    /// Unavailable: it is ``store(app:database:settings:as:)``.
    @available(*, unavailable, renamed: "store(database:)")
    public static func firestore(database: String) throws -> Store { unavailable() }

    /// Unavailable: it is ``store(app:database:settings:as:)``.
    @available(*, unavailable, renamed: "store(app:database:)")
    public static func firestore(app: App, database: String) throws -> Store { unavailable() }

    /// Unavailable: the emulator is an option of the app.
    @available(
      *, unavailable,
      message: """
        The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: \
        .emulator(EmulatorHosts(firestore: "127.0.0.1:8080")))).
        """
    )
    public func useEmulator(withHost host: String, port: Int) { unavailable() }

    /// Unavailable: logging is set with the variable `TENON_LOG`.
    @available(
      *, unavailable,
      message: "Set the level of the log with the environment variable TENON_LOG, for example debug."
    )
    public static func enableLogging(_ isEnabled: Bool) { unavailable() }

    /// Unavailable: the app is known where the instance is made.
    @available(*, unavailable, message: "Keep the app that you pass to Store.store(app: …).")
    public var app: App { unavailable() }

    /// Unavailable: fields are indexed by themselves.
    @available(
      *, unavailable,
      message: """
        Fields are indexed when a query first needs it. To choose, pass StoreSettings(fieldIndexing: …) to \
        Store.store(settings: …).
        """
    )
    public var persistentCacheIndexManager: PersistentCacheIndexManager? { unavailable() }
  }

  /// Unavailable: fields are indexed by themselves.
  @available(*, unavailable, message: "Fields are indexed when a query first needs it.")
  public final class PersistentCacheIndexManager: Sendable {
    /// Unavailable.
    public func enableIndexAutoCreation() {}

    /// Unavailable.
    public func disableIndexAutoCreation() {}

    /// Unavailable.
    public func deleteAllIndexes() {}
  }
#endif
