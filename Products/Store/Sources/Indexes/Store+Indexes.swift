/// The progress of building a declared index.
public struct IndexProgress: Sendable, Hashable {
  /// The index.
  public let index: CompositeIndex
  /// Whether it serves queries. Until then they are answered without it, with the same results.
  public let isComplete: Bool
  /// The number of documents that have been indexed, of those that existed when it was declared; a few more or less if documents
  /// were created or deleted meanwhile.
  public let documents: Int
  /// The number of documents in its collections when it was declared.
  public let total: Int
}

extension Store {
  /// Returns the progress of the declared indexes of the database; see ``StoreSettings/indexes``.
  ///
  /// - Throws: ``StoreError``.
  public func indexes() async throws -> [IndexProgress] { try await engine.indexProgress() }

  /// Builds the declared indexes until all serve queries. Without this call they are built beside other work from the first use of
  /// the database on, a few documents at a time.
  ///
  /// - Parameter progress: called with the progress of all indexes each time that some documents have been indexed.
  /// - Throws: ``StoreError``; `CancellationError` if the task is cancelled. What was built stays.
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
