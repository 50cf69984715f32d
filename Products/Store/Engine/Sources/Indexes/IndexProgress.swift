public import TenonFoundation

/// The progress of building an index: a ``CompositeIndex``, which also describes the index of a single field,
/// or a ``TextIndex``.
public struct IndexProgress<Index: Sendable & Hashable>: Sendable, Hashable {
  /// The index. That of a single field has this field as its only one.
  public let index: Index
  /// Whether the index contains all documents. Until then, queries are answered without it, with the same
  /// results; a search continues building its text index, and returns when it is complete.
  public let isComplete: Bool
  /// The number of documents that have been visited, and the number in the index's collections when it was
  /// declared or registered; approximate if documents were added or deleted in the meantime.
  public let progress: OperationProgress
}
