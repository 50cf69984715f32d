import TenonFoundation
import TenonSQLite
import TenonValues

/// Deletes the documents of a collection in pages, each in a separate transaction, so that memory is limited
/// and other operations run in between. See ``Store/deleteCollection(_:onProgress:)``.
///
/// A large collection is dropped instead, if that is final: one small transaction makes it disappear, and
/// ``DroppedRows`` deletes its documents and index entries later.
struct CollectionDeletion {
  let collections: CollectionTable
  let documents: DocumentTable
  let indexes: IndexTable
  let changes: ChangeLog

  /// The documents that were deleted in one transaction.
  struct Page: Sendable {
    /// The number of documents.
    let count: Int
    /// The key of the last document, after which the next page begins; `nil` if there was no document.
    let end: Data?
  }

  /// A key after those of all documents.
  static let end = Data([0xFF])

  /// The maximum number of documents of a page whose deletion is final. Larger pages are faster, because each
  /// page of an index is written once per transaction, but other operations wait longer.
  static let limit = 2_000
  /// The maximum number of documents of a page that is sent to a remote: Firestore's limit for a batch.
  static let batchLimit = 500
  /// The size in bytes of the documents of a page, which one document may exceed.
  static let size = 8 << 20

  /// The number of documents from which on a collection is dropped. All listeners then read their results
  /// again, and so do those of other processes.
  static let droppedSize = 10_000

  /// Drops a collection, if it is large enough.
  ///
  /// - Returns: the number of documents; `nil` if the collection wasn't dropped.
  /// - Throws: `SQLiteError`.
  func drop(_ collection: ResourcePath, in transaction: WriteTransaction) throws -> Int? {
    guard let number = try collections.number(of: collection),
      try documents.count(in: number, limit: Self.droppedSize) == Self.droppedSize
    else { return nil }
    let count = try documents.count(in: number, limit: .max)
    try collections.drop(number, at: collection, in: transaction)
    try indexes.declarationsChanged(in: transaction)
    changes.changeEverything()
    return count
  }

  /// Returns the documents of the next page; none if the collection has no number or no further documents.
  ///
  /// - Throws: `SQLiteError`.
  func page(of collection: ResourcePath, after key: Data, limit: Int) throws -> [DocumentTable.Entry] {
    guard let number = try collections.number(of: collection) else { return [] }
    return try documents.page(in: number, after: key, limit: limit, size: Self.size)
  }

  /// Deletes the documents of the next page, without queueing writes.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if a document can't be decoded as far as
  ///   indexes need it; `SQLiteError`.
  func deletePage(
    of collection: ResourcePath, after key: Data, limit: Int, in transaction: WriteTransaction
  ) throws -> Page {
    guard let number = try collections.number(of: collection) else { return Page(count: 0, end: nil) }
    let page = try documents.page(in: number, after: key, limit: limit, size: Self.size)
    for entry in page {
      try documents.put(nil, at: entry.path, in: number, replacing: entry, in: transaction)
    }
    return Page(count: page.count, end: page.last?.key)
  }
}
