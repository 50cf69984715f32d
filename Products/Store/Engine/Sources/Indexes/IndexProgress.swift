/// The progress of building an index.
public struct IndexProgress: Sendable, Hashable {
  /// The index. That of a single field has this field as its only one.
  public let index: CompositeIndex
  /// Whether queries use the index. Until then, queries are answered without it, with the same results.
  public let isComplete: Bool
  /// The number of documents that have been indexed; approximate if documents were added or deleted in the
  /// meantime.
  public let documents: Int
  /// The number of documents in its collections when it was declared or registered.
  public let total: Int
}

/// The progress of building a text index.
public struct TextIndexProgress: Sendable, Hashable {
  /// The index.
  public let index: TextIndex
  /// Whether the index contains all documents. Until then, a search continues building it, and returns when
  /// it is complete.
  public let isComplete: Bool
  /// The number of documents that have been visited; approximate if documents were added or deleted in the
  /// meantime.
  public let documents: Int
  /// The number of documents in its collections when it was declared.
  public let total: Int
}
