package import TenonFoundation
package import TenonStoreInterop

/// Reads documents (`google.firestore.v1.BatchGetDocumentsRequest`, `POST documents:batchGet`).
package struct BatchGetRequest: WireMessage, Hashable {
  /// The paths of the documents.
  package var documents: [ResourcePath]
  /// The fields that the documents have in the response; `nil` for all.
  package var mask: [FieldPath]?
  /// The state that is read; `nil` for the present.
  package var consistency: ReadConsistency?

  /// Creates a request, by default for the present.
  package init(
    documents: [ResourcePath], mask: [FieldPath]? = nil, consistency: ReadConsistency? = nil
  ) {
    self.documents = documents
    self.mask = mask
    self.consistency = consistency
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    if !documents.isEmpty {
      writer.name("documents")
      try writer.beginArray()
      for document in documents { writer.path(document) }
      writer.endArray()
    }
    if let mask {
      writer.name("mask")
      try writer.mask(mask)
    }
    try ReadConsistency.write(consistency, to: &writer)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      documents: try json.list("documents") { (json) throws(WireFailure) in
        try json.documentPath(in: database)
      },
      mask: try json.member("mask", FirestoreJSON.mask),
      consistency: try .decode(in: json, database))
  }
}

/// One element of the response to ``BatchGetRequest`` (`google.firestore.v1.BatchGetDocumentsResponse`).
///
/// The response has one element per document, in any order. If a transaction was begun, its ID is in the
/// first element, which may have no document.
package struct BatchGetResponse: WireMessage, Hashable {
  /// The document. One that doesn't exist has no fields, and the read time as its update time.
  package var document: RemoteDocument?
  /// The ID of the transaction that was begun.
  package var transaction: Data?
  /// The time of the state that was read.
  package var readTime: Timestamp?

  /// Creates an element.
  package init(document: RemoteDocument? = nil, transaction: Data? = nil, readTime: Timestamp? = nil) {
    self.document = document
    self.transaction = transaction
    self.readTime = readTime
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    if let document {
      if document.fields == nil {
        writer.member("missing", document.path)
      } else {
        try writer.member("found", document)
      }
    }
    writer.member("transaction", transaction)
    try writer.member("readTime", readTime)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    try json.checkNoError()
    readTime = try json.member("readTime", FirestoreJSON.time)
    transaction = try json.token("transaction")
    document = try json.message("found", in: database)
    let missing = try json.member("missing") { (json) throws(WireFailure) in
      try json.documentPath(in: database)
    }
    guard let missing else { return }
    guard document == nil else { throw WireFailure("has both found and missing") }
    guard let readTime else { throw WireFailure("is missing").inMember("readTime") }
    document = RemoteDocument(path: missing, fields: nil, updateTime: readTime)
  }
}

/// Runs a query (`google.firestore.v1.RunQueryRequest`, `POST PARENT:runQuery`). The parent is in the URL.
package struct RunQueryRequest: WireEncodable, Hashable {
  /// The query.
  package var query: StructuredQuery
  /// The state that is read; `nil` for the present.
  package var consistency: ReadConsistency?
  /// Whether and how the query is explained.
  package var explanation: ExplainOptions?

  /// Creates a request, by default for the present.
  package init(query: StructuredQuery, consistency: ReadConsistency? = nil) {
    self.query = query
    self.consistency = consistency
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("structuredQuery", query)
    try ReadConsistency.write(consistency, to: &writer)
    writer.endObject()
  }

  /// Decodes a request.
  ///
  /// - Parameters:
  ///   - json: the request.
  ///   - parent: the path in the URL: a document, or the root.
  ///   - database: the database in the URL.
  /// - Throws: ``DocumentError``, as ``WireDecodable/init(decoding:in:limit:)``.
  package init(
    _ json: FirestoreJSON, parent: ResourcePath, in database: DatabaseName
  ) throws(DocumentError) {
    let prefix = DatabasePrefix(database)
    do {
      explanation = try json.member("explainOptions", ExplainOptions.decode)
      query = try json.required("structuredQuery") { (json) throws(WireFailure) in
        try json.query(below: parent, in: prefix)
      }
      consistency = try .decode(in: json, prefix)
    } catch { throw error.documentError }
  }
}

/// One element of the response to ``RunQueryRequest`` (`google.firestore.v1.RunQueryResponse`).
///
/// The response has one element per document, in the order of the query. Without documents, it has one
/// element with the read time.
package struct RunQueryResponse: WireMessage, Hashable {
  /// The document, which exists.
  package var document: RemoteDocument?
  /// The ID of the transaction that was begun, in the first element.
  package var transaction: Data?
  /// The time of the state that was read. It may be missing in elements but the last.
  package var readTime: Timestamp?
  /// Whether this is the last element because the limit was reached, or because there are no more documents.
  /// It may be `false` in the last element.
  package var isDone: Bool
  /// The number of documents that the query's offset left out, in the first element.
  package var skipped = 0
  /// The explanation of the query, in the last element.
  package var metrics: ExplainMetrics?

  /// Creates an element.
  package init(
    document: RemoteDocument? = nil, transaction: Data? = nil, readTime: Timestamp? = nil,
    isDone: Bool = false
  ) {
    self.document = document
    self.transaction = transaction
    self.readTime = readTime
    self.isDone = isDone
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("transaction", transaction)
    if let document { try writer.member("document", document) }
    try writer.member("readTime", readTime)
    writer.member("done", ifTrue: isDone)
    if skipped > 0 { writer.member("skippedResults", skipped) }
    if let metrics { try writer.member("explainMetrics", metrics) }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    try json.checkNoError()
    self.init(
      document: try json.message("document", in: database),
      transaction: try json.token("transaction"),
      readTime: try json.member("readTime", FirestoreJSON.time),
      isDone: try json.member("done", FirestoreJSON.flag) ?? false)
  }
}

/// Lists the IDs of the collections of a document or of the root
/// (`google.firestore.v1.ListCollectionIdsRequest`, `POST PARENT:listCollectionIds`). The parent is in the
/// URL.
package struct ListCollectionIDsRequest: WireMessage, Hashable {
  /// The maximum number of IDs; `nil` for as many as the server sends in one response.
  package var pageSize: Int?
  /// The token of the page; empty for the first.
  package var pageToken: String
  /// The time of the state that is read; `nil` for the present.
  package var readTime: Timestamp?

  /// Creates a request, by default for the first page at the present.
  package init(pageSize: Int? = nil, pageToken: String = "", readTime: Timestamp? = nil) {
    self.pageSize = pageSize
    self.pageToken = pageToken
    self.readTime = readTime
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("pageSize", pageSize)
    writer.member("pageToken", pageToken)
    try writer.member("readTime", readTime)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let pageSize = try json.member("pageSize", FirestoreJSON.count)
    self.init(
      pageSize: pageSize == 0 ? nil : pageSize,
      pageToken: try json.member("pageToken", FirestoreJSON.text) ?? "",
      readTime: try json.member("readTime", FirestoreJSON.time))
  }
}

/// The IDs of collections (`google.firestore.v1.ListCollectionIdsResponse`).
package struct ListCollectionIDsResponse: WireMessage, Hashable {
  /// The IDs, in the server's order.
  package var collectionIDs: [String]
  /// The token of the next page; empty for the last page.
  package var nextPageToken: String

  /// Creates a response.
  package init(collectionIDs: [String], nextPageToken: String = "") {
    self.collectionIDs = collectionIDs
    self.nextPageToken = nextPageToken
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    if !collectionIDs.isEmpty {
      writer.name("collectionIds")
      try writer.beginArray()
      for id in collectionIDs { writer.string(id) }
      writer.endArray()
    }
    writer.member("nextPageToken", nextPageToken)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      collectionIDs: try json.list("collectionIds", FirestoreJSON.text),
      nextPageToken: try json.member("nextPageToken", FirestoreJSON.text) ?? "")
  }
}
