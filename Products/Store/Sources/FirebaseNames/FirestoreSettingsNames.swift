// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore

  /// Unavailable: it is ``StoreSettings``.
  @available(
    *, unavailable, renamed: "StoreSettings",
    message: "It is a value that is passed to Store.store(settings: …), before the database is used."
  )
  public typealias FirestoreSettings = StoreSettings

  extension Store {
    /// Unavailable: settings are passed where the database is opened.
    @available(
      *, unavailable,
      message: "Settings are passed where the database is opened: try Store.store(settings: settings)."
    )
    public var settings: StoreSettings {
      get { unavailable() }
      set { unavailable() }
    }
  }

  extension StoreSettings {
    /// Unavailable: the emulator is an option of the app.
    @available(
      *, unavailable,
      message: """
        The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: \
        .emulator(EmulatorHosts(firestore: "127.0.0.1:8080")))).
        """
    )
    public var host: String {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: emulators are used without TLS, production with it.
    @available(
      *, unavailable, message: "The emulator is used without TLS, production with it. Remove the line."
    )
    public var isSSLEnabled: Bool {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: where documents are stored is an option of the app.
    @available(
      *, unavailable,
      message: """
        Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, \
        data: .memory) keeps them in memory. The size is garbageCollection: .leastRecentlyUsed(threshold: …).
        """
    )
    public var cacheSettings: Any {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: where documents are stored is an option of the app.
    @available(
      *, unavailable,
      message: """
        Where documents are stored is an option of the app, on the disk by default: AppOptions(projectID: …, \
        data: .memory) keeps them in memory.
        """
    )
    public var isPersistenceEnabled: Bool {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: it is the threshold of ``garbageCollection``.
    @available(
      *, unavailable,
      message:
        "Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …)) to Store.store(settings: …)."
    )
    public var cacheSizeBytes: Int64 {
      get { unavailable() }
      nonmutating set { unavailable() }
    }

    /// Unavailable: listeners don't take a queue.
    @available(*, unavailable, message: "There are no queues. Remove the line.")
    public var dispatchQueue: Any {
      get { unavailable() }
      nonmutating set { unavailable() }
    }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: there is no limit if the threshold is `nil`.
  @available(
    *, unavailable,
    message:
      "Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: nil)) to Store.store(settings: …)."
  )
  public var FirestoreCacheSizeUnlimited: Int64 { unavailable() }

  /// Unavailable: documents are on the disk by default.
  @available(
    *, unavailable,
    message:
      "Documents are on the disk by default. The size is StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …))."
  )
  public final class PersistentCacheSettings: Sendable {
    /// Unavailable.
    public init() {}

    /// Unavailable.
    public init(sizeBytes: Any) {}
  }

  /// Unavailable: where documents are stored is an option of the app.
  @available(
    *, unavailable,
    message: "Documents are kept in memory by an option of the app: AppOptions(projectID: …, data: .memory)."
  )
  public final class MemoryCacheSettings: Sendable {
    /// Unavailable.
    public init() {}

    /// Unavailable.
    public init(garbageCollectorSettings: Any) {}
  }

  /// Unavailable: it is ``StoreSettings/garbageCollection``.
  @available(
    *, unavailable, message: "Pass StoreSettings(garbageCollection: .eager) to Store.store(settings: …)."
  )
  public final class MemoryEagerGCSettings: Sendable {
    /// Unavailable.
    public init() {}
  }

  /// Unavailable: it is ``StoreSettings/garbageCollection``.
  @available(
    *, unavailable,
    message:
      "Pass StoreSettings(garbageCollection: .leastRecentlyUsed(threshold: …)) to Store.store(settings: …)."
  )
  public final class MemoryLRUGCSettings: Sendable {
    /// Unavailable.
    public init() {}

    /// Unavailable.
    public init(sizeBytes: Any) {}
  }
#endif
