// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore
  public import TenonFoundation

  extension Store {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.enableNetwork(), in a Task { … } if need be."
    )
    public func enableNetwork(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.disableNetwork(), in a Task { … } if need be."
    )
    public func disableNetwork(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.waitForPendingWrites(), in a Task { … } if need be."
    )
    public func waitForPendingWrites(completion: ((any Error)?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.clearPersistence(), in a Task { … } if need be."
    )
    public func clearPersistence(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: await store.terminate(), in a Task { … } if need be."
    )
    public func terminate(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: what happens is a stream.
    @available(*, unavailable, message: "Iterate over a stream: for await _ in store.snapshotsInSync { … }.")
    @discardableResult
    public func addSnapshotsInSyncListener(_ listener: () -> Void) -> ListenerRegistration { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.getQuery(named: …), in a Task { … } if need be."
    )
    public func getQuery(named name: String, completion: (Query?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await store.loadBundle(data), in a Task { … } if need be."
    )
    @discardableResult
    public func loadBundle(_ bytes: Data, completion: (LoadBundleTaskProgress?, (any Error)?) -> Void)
      -> LoadBundleTask
    { unavailable() }
  }

  /// Unavailable: a bundle is loaded by an asynchronous call.
  @available(
    *, unavailable, message: "Pass a closure for the progress: store.loadBundle(data) { progress in … }."
  )
  public final class LoadBundleTask: Sendable {
    /// Unavailable.
    @discardableResult
    public func addObserver(_ observer: (LoadBundleTaskProgress) -> Void) -> Int { unavailable() }
  }
#endif
