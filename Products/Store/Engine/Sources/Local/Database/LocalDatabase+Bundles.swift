/// Loading bundles.
extension LocalDatabase {
  /// Returns whether the bundle, or a newer one with the same ID, was already loaded.
  package func hasLoaded(_ bundle: Bundle) throws -> Bool { try tables.bundles.hasLoaded(bundle) }

  /// Saves the documents of a bundle, all or none, as members of a target that belongs to the bundle. The
  /// target is allocated in a separate transaction before.
  ///
  /// - Parameters:
  ///   - bundle: the bundle.
  ///   - report: called with the number of documents saved so far, after every hundred. The transaction isn't
  ///     committed by then.
  /// - Throws: `CancellationError` if the task is cancelled; nothing was saved then.
  package func saveDocuments(
    of bundle: Bundle, reporting report: (Int) -> Void
  ) throws -> LocalOutcome<Void> {
    let umbrella = try allocateTarget(BundleLoading.umbrella(of: bundle))
    return try changing {
      try loading.saveDocuments(of: bundle, in: umbrella, reporting: report, in: $0)
    }
  }

  /// Saves the named queries of a bundle, each in a separate transaction. Loading is complete only after
  /// ``markLoaded(_:)``; until then a repetition saves them again, with the same result.
  ///
  /// - Throws: ``StoreError`` if a query can't be decoded.
  package func saveQueries(of bundle: Bundle) throws {
    for query in bundle.queries {
      let target = try allocateTarget(try query.target())
      try transactions.write { try loading.save(query, of: bundle, as: target, in: $0) }
    }
  }

  /// Records that a bundle has been loaded, so that ``hasLoaded(_:)`` returns `true` for it and for older
  /// ones with its ID.
  package func markLoaded(_ bundle: Bundle) throws {
    try transactions.write { try tables.bundles.insert(bundle, in: $0) }
  }

  /// Returns a named query of a loaded bundle; `nil` if there is none.
  func namedQuery(_ name: String) throws -> BundledQuery? { try tables.bundles.query(named: name) }
}
