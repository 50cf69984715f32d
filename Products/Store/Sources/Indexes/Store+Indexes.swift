/// The progress of building a declared index.
public struct IndexProgress: Sendable, Hashable {
  /// The index.
  public let index: CompositeIndex
  /// Whether it is used by queries. Until then, queries are answered without it, with the same results.
  public let isComplete: Bool
  /// The number of documents that have been indexed; approximate if documents were added or deleted meanwhile.
  public let documents: Int
  /// The number of documents in its collections when it was declared.
  public let total: Int
}

extension Store {
  /// Returns the declared indexes of the database, see ``StoreSettings/indexes``, and the progress of each.
  ///
  /// - Throws: ``StoreError``.
  public func indexes() async throws -> [IndexProgress] { try await engine.indexProgress() }

  /// Builds all declared indexes, and returns when queries use them. Without this call, they are built in the background from
  /// the first use of the database on, a few documents at a time.
  ///
  /// - Parameter progress: called with every index each time that some documents have been indexed.
  /// - Throws: ``StoreError``; `CancellationError` if the task is cancelled. What was built is kept.
  public func buildIndexes(reporting progress: ([IndexProgress]) -> Void = { _ in }) async throws {
    while true {
      try Task.checkCancellation()
      let goesOn = try await engine.buildIndexes()
      progress(try await engine.indexProgress())
      guard goesOn else { return }
      await Task.yield()
    }
  }
}
