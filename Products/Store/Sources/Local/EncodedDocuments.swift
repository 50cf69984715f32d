import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The documents of a query in its order, still encoded where nobody had to look into them: whoever asked decodes them in his
/// own task, and the engine goes on with other work meanwhile.
struct EncodedDocuments: Sendable {
  private struct Place {
    let name: Range<Int>
    let fields: Range<Int>
    let created: Int64
    let updated: Int64
    let flags: Int64
    let timestamps: Data?
  }

  private let collection: ResourcePath
  private let file: String?
  private var known: [StoredDocument] = []
  private var places: [Place] = []
  private var bytes: [UInt8] = []

  /// Documents that had to be decoded.
  init(_ documents: [StoredDocument]) {
    (collection, file, known) = (ResourcePath(segments: []), nil, documents)
  }

  /// Documents of one collection.
  ///
  /// - Parameters:
  ///   - file: the database's file, for errors.
  ///   - limit: how many there are at most.
  init(in collection: ResourcePath, of file: String?, limit: Int) {
    (self.collection, self.file) = (collection, file)
    // A page of small documents is taken in without making room again and again.
    places.reserveCapacity(min(limit, 100))
    bytes.reserveCapacity(min(limit, 100) * 256)
  }

  var count: Int { known.count + places.count }

  /// Takes in a row of ``LocalStore/documentColumns``.
  mutating func append(_ row: borrowing Row) {
    places.append(
      Place(
        name: take(row, 0), fields: take(row, 1), created: row.integer(2), updated: row.integer(3),
        flags: row.integer(4), timestamps: row.optionalBlob(5)))
  }

  private mutating func take(_ row: borrowing Row, _ column: Int) -> Range<Int> {
    let start = bytes.count
    row.withBytes(column) { $0.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
    return start..<bytes.count
  }

  /// What `transform` makes of each document.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss``.
  func map<Result>(_ transform: (consuming StoredDocument) -> Result) throws(StoreError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    for document in known { results.append(transform(document)) }
    for place in places {
      let document = try StoredDocument(
        at: collection.appending(String(decoding: bytes[place.name], as: UTF8.self)),
        fields: bytes.span.extracting(place.fields), created: place.created, updated: place.updated,
        flags: place.flags, timestamps: place.timestamps, file: file)
      results.append(transform(document))
    }
    return results
  }
}
