import TenonValues

/// The result of an eviction.
public struct EvictionResult: Sendable, Hashable {
  /// The number of documents that were removed from this device.
  public internal(set) var documentsEvicted: Int
  /// The number of documents that were kept, because they have pending writes, a listener shows them, or they
  /// are pinned.
  public internal(set) var documentsKept: Int
}

/// Removes documents of the remote from this device; see ``QuerySource/evict()``.
struct Eviction {
  let collections: CollectionTable
  let documents: DocumentTable
  let targets: TargetTable
  let uses: UseTable
  let queue: QueueTable
  let overlays: Overlays
  let collector: GarbageCollector

  /// The maximum number of documents of a step.
  static let limit = 500

  /// Removes documents, except for those with pending writes of any user, those that a listener of this
  /// process shows or may be about to show, and pinned ones.
  ///
  /// A target that contained one of them is deleted: resumed from its token, it wouldn't receive the document
  /// again.
  ///
  /// - Parameters:
  ///   - paths: the documents; those that don't exist on this device aren't counted.
  ///   - isShown: returns whether a target has a listener in this process.
  ///   - transaction: the transaction.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be decoded;
  ///   `SQLiteError`.
  /// - Complexity: O(n) in the number of documents and those of the deleted targets, plus the deletion of the
  ///   index entries.
  func evict(
    _ paths: some Sequence<ResourcePath>, isShown: (Int) -> Bool, in transaction: WriteTransaction
  ) throws -> EvictionResult {
    let (pinned, pinnedTargets) = (try collector.pinnedDocuments(), try collector.pinnedTargets())
    var outdated: Set<Int> = []
    var result = EvictionResult(documentsEvicted: 0, documentsKept: 0)
    for path in paths {
      guard let collection = try collections.number(containing: path),
        try documents.entry(of: path, in: collection) != nil
      else { continue }
      let claims = try targets.ids(containing: path, in: collection)
      let isNeeded =
        try uses.isViewed(path) || queue.hasWrites(to: path, in: collection) || pinned.contains(path)
        || claims.contains { pinnedTargets.contains($0) || isShown($0) }
      guard !isNeeded else {
        result.documentsKept += 1
        continue
      }
      outdated.formUnion(claims)
      try overlays.rebase(path, on: nil, in: transaction)
      try uses.remove(path, in: transaction)
      result.documentsEvicted += 1
    }
    for id in outdated {
      try targets.remove(id, in: transaction)
      // Targets of bundles are active without a listener.
      targets.deactivate(id)
    }
    return result
  }
}
