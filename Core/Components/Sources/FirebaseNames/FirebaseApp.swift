// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseCore)

  /// Unavailable: it is ``App``.
  @available(*, unavailable, renamed: "App")
  public typealias FirebaseApp = App

  /// Unavailable: logging is set with the variable `TENON_LOG`.
  @available(
    *, unavailable,
    message: "Set the level of the log with the environment variable TENON_LOG, for example debug."
  )
  public final class FirebaseConfiguration: Sendable {
    /// Unavailable.
    public static let shared = FirebaseConfiguration()

    /// Unavailable: the level is set with the variable `TENON_LOG`.
    @export(implementation)
    public func setLoggerLevel(_ level: AppLogger.Level) {}
  }

  extension App {
    /// Unavailable: the apps are a list.
    @available(*, unavailable, message: "The apps are a list: App.all. One by its name is App.app(name: …).")
    public static var allApps: [String: App]? { unavailable() }

    /// Unavailable: Tenon collects no data.
    @available(*, unavailable, message: "Tenon collects no data. Remove the line.")
    public var isDataCollectionDefaultEnabled: Bool {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: deletion is asynchronous.
    @available(
      *, unavailable, message: "Deletion is asynchronous: await app.delete(), in a Task { … } if need be."
    )
    @export(implementation)
    public func delete(_ completion: (Bool) -> Void) { unavailable() }

    /// Unavailable: the label is `name:`.
    @available(*, unavailable, renamed: "app(name:)")
    @export(implementation)
    public static func named(_ name: String) -> App? { unavailable() }

    /// Unavailable: the label is `name:`.
    @available(*, unavailable, renamed: "configure(name:options:)")
    @discardableResult
    @export(implementation)
    public static func configure(named name: String?, options: AppOptions? = nil) throws -> App {
      unavailable()
    }
  }
#endif
