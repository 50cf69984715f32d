import TenonDocuments
import TenonSQLite
import TenonValues

/// The space that the documents of a collection use on this device.
public struct CollectionSize: Sendable, Hashable {
  /// The collection's path, for example `rooms/den/messages`.
  public let path: String
  /// The number of documents on this device.
  public let documents: Int
  /// The bytes of the documents: their IDs and contents, and the last state from the remote of those with
  /// pending writes.
  public let documentBytes: Int
  /// The bytes of the entries of the indexes of single fields.
  public let indexBytes: Int
  /// The bytes of the documents and of their index entries.
  public var bytes: Int { documentBytes.addingReportingOverflow(indexBytes).partialValue }
}

extension LocalReader {
  /// Returns the sizes of all collections with documents or entries; see ``Store/collectionSizes()``.
  package func collectionSizes() throws -> [CollectionSize] {
    try transactions.read {
      var sizes: [Int64: (documents: Int, documentBytes: Int, indexBytes: Int)] = [:]
      func add(
        _ sql: String,
        _ change: (inout (documents: Int, documentBytes: Int, indexBytes: Int), Int, Int) -> Void
      ) throws {
        try checkCancellation()
        try database.forEachRow(sql, []) { row in
          change(
            &sizes[row.integer(0), default: (0, 0, 0)], Int(clamping: row.integer(1)),
            Int(clamping: row.integer(2)))
          return true
        }
      }
      try add(
        """
        SELECT collection, count(*), sum(length(CAST(name AS BLOB)) + length(key) + length(fields) + \
        coalesce(length(timestamps), 0)) FROM documents \
        WHERE collection NOT IN (SELECT id FROM dropped_collections) GROUP BY collection
        """
      ) { ($0.documents, $0.documentBytes) = ($1, $2) }
      try add(
        "SELECT collection, 0, sum(length(CAST(name AS BLOB)) + coalesce(length(fields), 0)) FROM bases GROUP BY collection"
      ) { $0.documentBytes = $0.documentBytes.addingReportingOverflow($2).partialValue }
      for collection in sizes.keys {
        let prefix = EntryGroup.prefix(ofCollection: collection)
        try checkCancellation()
        let bytes = try database.first(
          "SELECT sum(length(value) + length(key)) FROM entries WHERE value >= ? AND value < ?",
          [.blob(prefix), .blob(prefix.successor)]
        ) { Int(clamping: $0.integer(0)) }
        sizes[collection]?.indexBytes = bytes ?? 0
      }
      return try sizes.map { number, size in
        CollectionSize(
          path: try collections.path(of: number).text, documents: size.documents,
          documentBytes: size.documentBytes, indexBytes: size.indexBytes)
      }.sorted { $0.bytes != $1.bytes ? $0.bytes > $1.bytes : $0.path < $1.path }
    }
  }
}
