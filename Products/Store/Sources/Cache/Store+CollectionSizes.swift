extension Store {
  /// Returns the space that each collection uses on this device, largest first; those of equal size are in
  /// the order of their paths.
  ///
  /// ```swift
  /// for size in try await store.collectionSizes() { print(size.path, size.bytes) }
  /// ```
  ///
  /// The sizes are sums of the lengths of what is stored for each collection, without the database's own
  /// structures: row headers, partly filled pages, free pages, composite and text indexes, and the queue. The
  /// file is therefore larger than their sum, typically by a fifth to a half.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  /// - Complexity: O(n) in the number of documents and of index entries of the whole database, all of which
  ///   are visited. Other operations wait until it ends.
  public func collectionSizes() async throws -> [CollectionSize] {
    try await engine.collectionSizes()
  }
}
