import TenonCore
import TenonFoundation
import TenonValues

/// Collections that exist only on this device; see ``StoreSettings/localCollections``.
extension StoreEngine {
  /// Publishes which collections exist only on this device, now and when another process changes it.
  func followLocalCollections(of local: LocalDatabase) {
    // In a local-only database, no collection differs from the others.
    guard local.hasRemote else { return localCollections.withLock { $0 = [] } }
    let collections = local.tables.localCollections
    localCollections.withLock { $0 = collections.ids }
    collections.onChange = { [weak self] ids in self?.localCollections.withLock { $0 = ids } }
  }

  /// The IDs of the collections that exist only on this device; those of the settings while the database is
  /// closed.
  package nonisolated var knownLocalCollections: Set<String> {
    localCollections.withLock { $0 } ?? configuration.settings.localCollections ?? []
  }

  /// Returns whether collections with an ID exist only on this device, although the database has a remote or
  /// waits for one. The database is opened if necessary, which is only known then.
  ///
  /// - Throws: as ``useAsUser(_:)`` if the database is closed.
  package nonisolated func isLocal(_ collectionID: String) async throws -> Bool {
    if configuration.isLocalOnly { return false }
    if let known = localCollections.withLock({ $0 }) { return known.contains(bytesOf: collectionID) }
    return try await useAsUser { $0.local.isFinal(collectionID) }
  }
}

extension StoreError {
  /// Returns the error for a read from the server of a collection that the server doesn't have.
  ///
  /// - Parameter collectionID: the ID of the collection.
  package static func onlyOnDevice(_ collectionID: String) -> StoreError {
    StoreError(
      .failedPrecondition,
      "The collection \"\(collectionID)\" exists only on this device, so the server can't be asked for its documents. "
        + "Read it with the default source.")
  }
}
