import TenonCore
package import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonValues

extension StoreEngine {
  /// Searches the documents of a query. While the index is being built, this continues building it.
  ///
  /// - Throws: as ``LocalReader/search(_:among:)``, as ``buildIndexes(limit:)``, and `CancellationError`.
  @concurrent package nonisolated func search(_ text: String, among query: ResolvedQuery) async throws
    -> TextSearchResult
  {
    let isLocal = try await isLocal(query.query.collectionID)
    while true {
      if var result = try await read({ try $0.search(text, among: query) }) {
        result.isFromCache = !configuration.isLocalOnly && !isLocal
        return result
      }
      try Task.checkCancellation()
      _ = try await buildIndexes()
    }
  }

  /// Returns the text indexes and the progress of building them.
  package func textIndexProgress() async throws -> [IndexProgress<TextIndex>] {
    try await useAsUser { try $0.local.indexBuilding.textProgress() }
  }

  // MARK: - Changes

  /// Begins to observe the documents of all collections with an ID, and returns once every later change is
  /// reported.
  ///
  /// - Parameter collection: the ID.
  /// - Returns: a stream with an element after changes, one for several that a slow reader has missed. It
  ///   ends when the database is closed, and throws when it is set aside.
  /// - Throws: ``StoreError`` if the database can't be opened; `CancellationError`.
  func changes(ofCollectionsNamed collection: String) async throws -> AsyncThrowingStream<Void, any Error> {
    let (stream, channel) = AsyncThrowingStream<Void, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let id = Self.nextListenerID()
    channel.onTermination = { [weak self] _ in Task { await self?.removeChangeObserver(id) } }
    try await useAsUser { running in
      // Without listeners, the changes so far haven't been read.
      if listeners.isEmpty { try running.local.skipChanges() }
      listeners.addChangeObserver(id, of: collection, channel, to: running.sync)
      startPolling(running)
    }
    return stream
  }

  /// Removes an observer whose stream was released; no effect if it was already removed.
  private func removeChangeObserver(_ id: Int) {
    guard listeners.removeChangeObserver(id) else { return }
    if listeners.observesNoChanges, case .open(let running) = state { running.sync.onChange = nil }
    stopPollingIfIdle()
  }
}

/// The reader's end of a search that is repeated after changes. Thread-safe, but only one task may wait in
/// ``next()``.
package actor TextSearchReader {
  private let engine: StoreEngine
  private let text: String
  private let query: ResolvedQuery
  /// The changes; `nil` before the first search.
  private var changes: AsyncThrowingStream<Void, any Error>.Iterator?
  /// What was returned last.
  private var last: TextSearchResult?
  /// Whether the search has thrown, after which there is nothing more.
  private var hasFailed = false

  package init(_ engine: StoreEngine, _ text: String, _ query: ResolvedQuery) {
    (self.engine, self.text, self.query) = (engine, text, query)
  }

  /// Returns the next result that differs from the one before; `nil` if the database was closed or the task
  /// cancelled, and after an error.
  ///
  /// - Throws: as ``StoreEngine/search(_:among:)``.
  package func next() async throws -> TextSearchResult? {
    guard !hasFailed else { return nil }
    do { return try await nextResult() } catch {
      hasFailed = true
      changes = nil
      throw error
    }
  }

  private func nextResult() async throws -> TextSearchResult? {
    // Observed before the search, so that no change in between is missed.
    if changes == nil {
      changes = try await engine.changes(ofCollectionsNamed: query.query.collectionID).makeAsyncIterator()
    }
    guard var changes else { return nil }
    defer { self.changes = changes }
    while true {
      if last != nil {
        if engine.hasUnseenWrites.withLock({ $0 }) { await engine.updateViews() }
        guard try await changes.next(isolation: #isolation) != nil else { return nil }
      }
      let result = try await engine.search(text, among: query)
      guard last.map({ !$0.hasSameDocuments(as: result) }) ?? true else { continue }
      last = result
      return result
    }
  }
}
