import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonValues

/// The documents of a query, in its order, still encoded if the query can be answered without decoding them.
/// The caller decodes them in its own task while the engine continues with other work.
///
/// The encoded columns of all documents are in one buffer. The value is independent of the database: later
/// changes don't affect it.
package struct EncodedDocuments: Sendable {
  /// The columns of one document, as ranges of the byte buffer. Points in time are in microseconds since
  /// 1970; `timestamps` is `nil` if there are no pending server timestamps.
  private struct Place {
    let name: Range<Int>
    let fields: Range<Int>
    let created: Int64
    let updated: Int64
    let flags: Int64
    let timestamps: Range<Int>?
  }

  /// The collection of the encoded documents.
  package let collection: ResourcePath
  /// The path of the database file, for error messages.
  private let file: String?
  /// The documents that were read decoded, in the query's order; empty if they are encoded.
  package private(set) var known: [StoredDocument] = []
  /// The encoded documents; empty if the documents are decoded.
  private var places: [Place] = []
  /// The buffer of the encoded columns.
  private var bytes: [UInt8] = []

  /// Creates the result from decoded documents.
  init(_ documents: [StoredDocument]) {
    (collection, file, known) = (ResourcePath(segments: []), nil, documents)
  }

  /// Creates an empty result for encoded documents of one collection.
  ///
  /// - Parameters:
  ///   - collection: the collection.
  ///   - file: the path of the database file, for error messages.
  ///   - limit: the maximum number of documents.
  init(in collection: ResourcePath, of file: String?, limit: Int) {
    (self.collection, self.file) = (collection, file)
    // Reserves capacity for a page of small documents, so that appending doesn't reallocate the buffers.
    places.reserveCapacity(min(limit, 100))
    bytes.reserveCapacity(min(limit, 100) * 512)
  }

  /// The positions of the encoded documents, for ``decoded(_:)``; empty if the documents were read decoded.
  package var encodedIndices: Range<Int> { places.indices }
  /// The number of documents.
  package var count: Int { known.count + places.count }

  /// Appends a row with the columns of ``DocumentTable/columns``, and copies its bytes.
  mutating func append(_ row: borrowing Row) {
    places.append(
      Place(
        name: appendColumn(row, 0), fields: appendColumn(row, 1), created: row.integer(2),
        updated: row.integer(3),
        flags: row.integer(4), timestamps: row.isNull(5) ? nil : appendColumn(row, 5)))
  }

  /// Appends the bytes of a column to the buffer, and returns their range.
  private mutating func appendColumn(_ row: borrowing Row, _ column: Int) -> Range<Int> {
    row.withBytes(column) { $0.withUnsafeBufferPointer { bytes.appendRange(contentsOf: $0) } }
  }

  /// A document that is decoded, in the collection of all encoded documents.
  package struct Document {
    /// The ID of the document.
    package let id: String
    /// The fields, with estimates for server timestamps that aren't known yet.
    package let fields: Fields
    /// The time of creation; 0 if the remote hasn't sent the document.
    package let createTime: Timestamp
    /// The time of the last change at the remote; 0 if the remote doesn't know this state of the document.
    package let updateTime: Timestamp
    /// The pending states; see ``StoredDocument/flags``.
    package let flags: Int64
    /// The fields whose server timestamps aren't known yet.
    package let pendingTimestamps: [PendingTimestamp]
  }

  /// Decodes an encoded document.
  ///
  /// - Parameter index: one of ``encodedIndices``.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss`` if it can't be decoded.
  /// - Complexity: O(n) in the size of the document.
  package func decoded(_ index: Int) throws(StoreError) -> Document {
    let place = places[index]
    let id = String(decoding: bytes[place.name], as: UTF8.self)
    do throws(DocumentError) {
      return Document(
        id: id, fields: try DocumentCoding.decode(bytes.span.extracting(place.fields)),
        createTime: Timestamp(microsecondsSince1970: place.created),
        updateTime: Timestamp(microsecondsSince1970: place.updated),
        flags: place.flags,
        pendingTimestamps: try pendingTimestamps(place))
    } catch {
      throw .damaged(collection.appending(id), in: file, error)
    }
  }

  /// Decodes the pending server timestamps of a document.
  private func pendingTimestamps(_ place: Place) throws(DocumentError) -> [PendingTimestamp] {
    guard let timestamps = place.timestamps else { return [] }
    return try WriteCoding.timestamps(Data(bytes[timestamps]))
  }
}
