import TenonStoreEngine

extension Store {
  /// Enables the network after ``disableNetwork()``, and sends the queued writes. If the network is enabled,
  /// the remote is tried again after a failure.
  ///
  /// - Throws: ``StoreError``.
  public func enableNetwork() async throws { try await engine.setNetwork(enabled: true) }

  /// Disables the network: reads and listeners use the cache immediately, and writes are queued. It has no
  /// effect if the network is disabled.
  ///
  /// - Throws: ``StoreError``.
  public func disableNetwork() async throws { try await engine.setNetwork(enabled: false) }

  /// A stream with an element now, and each time that all listeners affected by a change have received it.
  public var snapshotsInSync: AsyncStream<Void> { engine.snapshotsInSync() }

  /// Closes the database: listeners end, and operations throw ``StoreError/Code/closed``. Queued writes are
  /// sent when it is next used, through a new object from ``store(app:database:settings:as:)``.
  public func terminate() async { await engine.terminate() }

  /// Deletes everything that the database stores on this device, including queued writes. Call
  /// ``terminate()`` first, or call this before anything else.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database is in use.
  public func clearPersistence() async throws { try await engine.clearPersistence() }
}
