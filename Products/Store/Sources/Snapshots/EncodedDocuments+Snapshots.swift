import TenonStoreEngine

extension EncodedDocuments {
  /// Decodes the documents and returns their snapshots.
  ///
  /// - Parameters:
  ///   - store: the database to which the snapshots belong.
  ///   - isFromCache: whether the snapshots may be outdated.
  /// - Returns: the snapshots, in the query's order.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be decoded.
  /// - Complexity: O(n) in the size of the documents.
  func snapshots(in store: Store, isFromCache: Bool) throws(StoreError) -> [QueryDocumentSnapshot] {
    var snapshots: [QueryDocumentSnapshot] = []
    snapshots.reserveCapacity(count)
    for document in known { snapshots.append(document.snapshot(in: store, isFromCache: isFromCache)) }
    for index in encodedIndices {
      let document = try decoded(index)
      snapshots.append(
        QueryDocumentSnapshot(
          existing: DocumentSnapshot(
            reference: DocumentReference(store: store, collection: collection, id: document.id),
            fields: document.fields, createTime: document.createTime, updateTime: document.updateTime,
            metadata: SnapshotMetadata(flags: document.flags, isFromCache: isFromCache),
            pendingTimestamps: document.pendingTimestamps)))
    }
    return snapshots
  }
}
