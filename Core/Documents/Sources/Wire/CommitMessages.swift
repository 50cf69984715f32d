package import TenonFoundation
package import TenonStoreInterop

/// Writes that are applied atomically (`google.firestore.v1.CommitRequest`, `POST documents:commit`).
package struct CommitRequest: WireMessage, Hashable {
  /// The writes, in the order in which they are applied.
  package var writes: [DocumentWrite]
  /// The transaction that the commit ends; `nil` for none.
  package var transaction: Data?

  /// Creates a request, by default outside a transaction.
  package init(writes: [DocumentWrite], transaction: Data? = nil) {
    self.writes = writes
    self.transaction = transaction
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("writes", writes)
    writer.member("transaction", transaction)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      writes: try json.messages("writes", in: database),
      transaction: try json.token("transaction"))
  }
}

/// The result of a commit (`google.firestore.v1.CommitResponse`).
///
/// On the wire, every write that leaves a document has an update time. In
/// ``TenonStoreInterop/RemoteCommit/Result``, it is `nil` if it is the commit time; a decoded one is never
/// `nil` unless the server omitted it, as it does for deletions.
extension RemoteCommit: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("writeResults", results)
    try writer.member("commitTime", time)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      time: try json.required("commitTime", FirestoreJSON.time),
      results: try json.messages("writeResults", in: database))
  }
}

/// The result of one write (`google.firestore.v1.WriteResult`).
extension RemoteCommit.Result: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("updateTime", updateTime)
    if !transformResults.isEmpty {
      writer.name("transformResults")
      try writer.beginArray()
      for result in transformResults { try writer.value(result) }
      writer.endArray()
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      updateTime: try json.member("updateTime", FirestoreJSON.time),
      transformResults: try json.list("transformResults") { (json) throws(WireFailure) in
        try json.value(in: database)
      })
  }
}

/// Writes that are applied independently of each other (`google.firestore.v1.BatchWriteRequest`,
/// `POST documents:batchWrite`).
package struct BatchWriteRequest: WireMessage, Hashable {
  /// The writes, each of another document.
  package var writes: [DocumentWrite]

  /// Creates a request.
  package init(writes: [DocumentWrite]) { self.writes = writes }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("writes", writes)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(writes: try json.messages("writes", in: database))
  }
}

/// The results of independent writes (`google.firestore.v1.BatchWriteResponse`).
package struct BatchWriteResponse: WireMessage {
  /// The results of the writes, in their order. The result of a write that failed is empty.
  package var results: [RemoteCommit.Result]
  /// The errors of the writes, in their order; `nil` for those that were applied.
  package var errors: [StoreRemoteError?]

  /// Creates a response with as many results as errors.
  package init(results: [RemoteCommit.Result], errors: [StoreRemoteError?]) {
    self.results = results
    self.errors = errors
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("writeResults", results)
    try writer.member("status", errors.map(WireStatus.init))
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let statuses: [WireStatus] = try json.messages("status", in: database)
    self.init(results: try json.messages("writeResults", in: database), errors: statuses.map(\.error))
    guard results.count == errors.count else {
      throw WireFailure("has different numbers of results and statuses")
    }
  }
}

/// A request of the write stream of the web clients (`google.firestore.v1.WriteRequest`).
package struct WriteStreamRequest: WireMessage, Hashable {
  /// The ID of a stream that is resumed; empty for a new one.
  package var streamID: String
  /// The token of the last response; `nil` in the first request of a new stream.
  package var streamToken: Data?
  /// The writes; none in the first request, and in the one that ends the stream.
  package var writes: [DocumentWrite]

  /// Creates a request.
  package init(streamID: String = "", streamToken: Data? = nil, writes: [DocumentWrite] = []) {
    self.streamID = streamID
    self.streamToken = streamToken
    self.writes = writes
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("database", writer.database.name)
    writer.member("streamId", streamID)
    writer.member("streamToken", streamToken)
    try writer.member("writes", writes)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    try json.checkDatabase(database)
    self.init(
      streamID: try json.member("streamId", FirestoreJSON.text) ?? "",
      streamToken: try json.token("streamToken"),
      writes: try json.messages("writes", in: database))
  }
}

/// A response of the write stream (`google.firestore.v1.WriteResponse`).
package struct WriteStreamResponse: WireMessage, Hashable {
  /// The ID of the stream, in its first response; empty otherwise.
  package var streamID: String
  /// The token of this response.
  package var streamToken: Data?
  /// The result of the writes; `nil` in the first response.
  package var commit: RemoteCommit?

  /// Creates a response.
  package init(streamID: String = "", streamToken: Data? = nil, commit: RemoteCommit? = nil) {
    self.streamID = streamID
    self.streamToken = streamToken
    self.commit = commit
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("streamId", streamID)
    writer.member("streamToken", streamToken)
    if let commit {
      try writer.member("writeResults", commit.results)
      try writer.member("commitTime", commit.time)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      streamID: try json.member("streamId", FirestoreJSON.text) ?? "",
      streamToken: try json.token("streamToken"),
      commit: try json.member("commitTime") == nil ? nil : RemoteCommit(wire: json, in: database))
  }
}
