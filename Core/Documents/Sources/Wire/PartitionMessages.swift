package import TenonStoreInterop

/// Splits a collection group into parts that can be read in parallel
/// (`google.firestore.v1.PartitionQueryRequest`, `POST PARENT:partitionQuery`).
package struct PartitionQueryRequest: Sendable {
  /// The query: over a collection group, ordered by the name, without anything else.
  package var query: StructuredQuery
  /// The maximum number of points at which the result is split.
  package var count: Int
  /// The maximum number of points in the response; `nil` for as many as the server sends.
  package var pageSize: Int?
  /// The token of the page; empty for the first.
  package var pageToken: String
  /// The time of the state that is read; `nil` for the present.
  package var readTime: Timestamp?

  /// Decodes a request.
  ///
  /// - Parameters:
  ///   - json: the request.
  ///   - parent: the path in the URL: a document, or the root.
  ///   - database: the database in the URL.
  /// - Throws: ``DocumentError``, as ``WireDecodable/init(decoding:in:limit:)``; also for any other query.
  package init(
    _ json: FirestoreJSON, parent: ResourcePath, in database: DatabaseName
  ) throws(DocumentError) {
    let prefix = DatabasePrefix(database)
    do throws(WireFailure) {
      query = try json.required("structuredQuery") { (json) throws(WireFailure) in
        let query = try json.query(below: parent, in: prefix)
        guard query.allDescendants, !query.coversAllCollections,
          query.orders == [QueryOrder(field: .documentID())], query.filter == nil, query.start == nil,
          query.end == nil, query.limit == nil, query.offset == 0, query.nearest == nil
        else { throw WireFailure("isn't a query over a collection group that is only ordered by __name__") }
        return query
      }
      let count = try json.member("partitionCount", FirestoreJSON.int64) ?? 0
      guard count > 0 else { throw WireFailure("isn't positive").inMember("partitionCount") }
      self.count = Int(clamping: count)
      let size = try json.member("pageSize", FirestoreJSON.count)
      pageSize = size == 0 ? nil : size
      pageToken = try json.member("pageToken", FirestoreJSON.text) ?? ""
      readTime = try json.member("readTime", FirestoreJSON.time)
    } catch { throw error.documentError }
  }
}

/// Points at which the result of a query is split (`google.firestore.v1.PartitionQueryResponse`).
package struct PartitionQueryResponse: WireEncodable {
  /// The documents at which the parts begin, but for the first part.
  package var partitions: [ResourcePath]
  /// The token of the next page; empty for the last page.
  package var nextPageToken: String

  /// Creates a response.
  package init(partitions: [ResourcePath], nextPageToken: String = "") {
    self.partitions = partitions
    self.nextPageToken = nextPageToken
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    let cursors = partitions.map { WireCursor(values: [.reference($0)], isBefore: false) }
    try writer.member("partitions", cursors)
    writer.member("nextPageToken", nextPageToken)
    writer.endObject()
  }
}
