import TenonStoreEngine

extension Store {
  /// Returns the composite indexes of the database and the build progress of each; see
  /// ``StoreSettings/indexes``.
  ///
  /// - Throws: ``StoreError``.
  public func indexes() async throws -> [IndexProgress<CompositeIndex>] { try await engine.indexProgress() }

  /// Returns the indexes of single fields that queries have registered or the settings declare, and the build
  /// progress of each; see ``StoreSettings/fieldIndexing``. It is empty if every field is indexed, unless
  /// fields are declared.
  ///
  /// - Throws: ``StoreError``.
  public func fieldIndexes() async throws -> [IndexProgress<CompositeIndex>] {
    try await engine.fieldIndexProgress()
  }

  /// Returns the text indexes of the database and the build progress of each; see
  /// ``StoreSettings/textIndexes``.
  ///
  /// - Throws: ``StoreError``.
  public func textIndexes() async throws -> [IndexProgress<TextIndex>] {
    try await engine.textIndexProgress()
  }

  /// The indexes that Firestore's server requires for the queries that this process has run on the database,
  /// sorted; at most 1,000.
  ///
  /// No query requires an index on this device. ``CompositeIndex/file(of:)`` writes them as
  /// `firestore.indexes.json`, so that tests reveal what production needs:
  ///
  /// ```swift
  /// try CompositeIndex.file(of: store.requiredIndexes).write(to: file)
  /// ```
  ///
  /// They are determined by the rules that Firestore documents. The server may manage with fewer, because it
  /// also merges composite indexes. Those of a single field are required by queries over collection groups.
  /// Queries over collections that exist only on this device require none, and neither do searches for words,
  /// pins and evictions.
  public var requiredIndexes: [CompositeIndex] {
    let local = engine.knownLocalCollections
    return engine.requiredIndexes.all.filter { !local.contains(bytesOf: $0.collectionID) }
  }

  /// Builds all indexes that are declared or registered, and returns when queries use them. Without this call
  /// they are built in the background, a few documents at a time, starting with the first use of the
  /// database.
  ///
  /// The work is done in steps of at most 5,000 documents and about 10 ms of reading, each of which is saved;
  /// other operations of the database run between two steps. It also deletes the entries of indexes that no
  /// longer exist, and the documents of large collections that were deleted.
  ///
  /// - Parameter onProgress: called with the progress of every composite index after each group of indexed
  ///   documents.
  /// - Throws: ``StoreError``; `CancellationError` if the task is cancelled. Completed work is kept.
  /// - Complexity: O(n) in the number of documents that aren't indexed yet.
  public func buildIndexes(
    onProgress: ([IndexProgress<CompositeIndex>]) -> Void = { _ in }
  ) async throws {
    // What queries have lacked that have returned.
    await engine.fulfillIndexRequests()
    while true {
      try Task.checkCancellation()
      let shouldContinue = try await engine.buildIndexes()
      onProgress(try await engine.indexProgress())
      guard shouldContinue else { return }
      await Task.yield()
    }
  }
}
