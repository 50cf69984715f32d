import TenonDocuments
import TenonFoundation

/// The documents of a query that was sent to the remote.
package enum QueryResult {
  /// From a listener, which may have received nothing from the remote.
  case snapshot(ViewSnapshot)
  /// From the cache with the pending writes applied; unless `isFromCache`, after a request has brought the
  /// remote's documents there.
  case documents(EncodedDocuments, isFromCache: Bool)
}

extension StoreEngine {
  /// Reads the documents of a query with a listener, which ends with its first snapshot. If the listen stream
  /// fails, the remote is asked with a request, because streams may be cut where requests are answered.
  ///
  /// - Parameter query: the query.
  /// - Returns: the cached documents if the remote can't be reached.
  /// - Throws: as ``first(_:_:)`` and ``RemoteReading/fetch(_:)-(ResolvedQuery)``.
  @concurrent package nonisolated func result(of query: RunnableQuery) async throws -> QueryResult {
    // Determined before the listener may find that the stream fails.
    let reading = await beginReading(.query(query.run.completed))
    let start = configuration.time.now()
    if await listenFails {
      // A listener would wait until the stream is tried again.
      if let reading, let answer = try await answer(query, reading) {
        return .documents(answer, isFromCache: false)
      }
      return .documents(try await encodedDocuments(of: query.run), isFromCache: true)
    }
    let options = QueryListener.Options(includesMetadataChanges: true, waitsForSync: true)
    let snapshot = try await first(ListenQuery(query), options)
    // A stream that wasn't answered has taken the time that a read may take.
    let mayAsk = configuration.time.now() - start < OnlineStateTracker.timeout
    if snapshot.isFromCache, mayAsk, let reading, let answer = try await answer(query, reading) {
      return .documents(answer, isFromCache: false)
    }
    return .snapshot(snapshot)
  }

  /// Returns the remote's answer to a query; `nil` if it can't be reached.
  private nonisolated func answer(_ query: RunnableQuery, _ reading: RemoteReading) async throws
    -> EncodedDocuments?
  {
    guard reading.isReachable else { return nil }
    let found: EncodedDocuments?
    do {
      try await reading.fetch(query.run)
      found = reading.isReachable ? try await encodedDocuments(of: query.run) : nil
    } catch {
      await reading.end()
      throw error
    }
    await reading.end()
    return found
  }

  /// Whether listeners were connected and don't receive anything.
  private var listenFails: Bool {
    guard case .open(let running) = state else { return false }
    return running.sync.remote?.listenFails ?? false
  }
}
