/// How far a declared index is.
public struct IndexProgress: Sendable, Hashable {
  /// The index.
  public let index: CompositeIndex
  /// Whether it serves queries. Until it does they are answered without it, so answers are the same.
  public let isComplete: Bool
  /// How many of the documents that were there when it was declared have been looked at; a few more or less when documents
  /// came or went meanwhile.
  public let documents: Int
  /// How many documents its collections had when it was declared.
  public let total: Int
}

extension Store {
  /// The declared indexes of the database, see ``StoreSettings/indexes``, and how far each is.
  ///
  /// - Throws: ``StoreError``.
  public func indexes() async throws -> [IndexProgress] { try await engine.indexProgress() }

  /// Waits until all declared indexes serve queries, and does some of the work. Without this they are built beside other work
  /// from the first use of the database on, a few documents at a time.
  ///
  /// - Parameter progress: told of every index each time that some documents have been taken in.
  /// - Throws: ``StoreError``; `CancellationError` when the task is cancelled. What was built stays.
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
