extension Store {
  /// Uses the network again after ``disableNetwork()``, and sends what waits.
  ///
  /// - Throws: ``StoreError``.
  public func enableNetwork() async throws { try await engine.setNetwork(enabled: true) }

  /// Doesn't use the network any more: reads and listeners give what is here at once, and writes wait.
  ///
  /// - Throws: ``StoreError``.
  public func disableNetwork() async throws { try await engine.setNetwork(enabled: false) }

  /// Gives an element at once, and then each time that all listeners whom a change concerns have been told of it.
  public var snapshotsInSync: AsyncStream<Void> { engine.snapshotsInSync() }

  /// Closes the database: listeners end, and operations throw ``StoreError/Code/closed``. Writes that wait are sent when it is
  /// used the next time, for which ``store(app:database:settings:)`` gives a new object.
  public func terminate() async { await engine.terminate() }

  /// Deletes everything that the database keeps on this device, writes that wait included. Call ``terminate()`` before, or
  /// this before anything else.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` when the database is in use.
  public func clearPersistence() async throws { try await engine.clearPersistence() }
}
