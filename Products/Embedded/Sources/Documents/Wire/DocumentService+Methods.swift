import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The methods of Firestore's API.
extension DocumentService {
  /// Responds to a parsed request.
  ///
  /// - Throws: `DocumentError` for a message that can't be decoded; `StoreRemoteError`.
  func answer(_ call: DocumentCall, _ caller: Caller) async throws -> TransportStreamingResponse {
    switch (call.request.method, call.method) {
    case (.post, "commit"?): return try await commit(call, caller)
    case (.post, "batchWrite"?): return try await batchWrite(call, caller)
    case (.post, "batchGet"?): return try await batchGet(call, caller)
    case (.post, "runQuery"?): return try await runQuery(call, caller)
    case (.post, "runAggregationQuery"?): return try await runAggregation(call, caller)
    case (.post, "beginTransaction"?): return try await beginTransaction(call, caller)
    case (.post, "rollback"?): return try await rollback(call, caller)
    case (.post, "listCollectionIds"?): return try await listCollectionIDs(call, caller)
    case (.post, let method?) where ["partitionQuery", "executePipeline", "listen", "write"].contains(method):
      throw StoreRemoteError(.unimplemented, "The embedded backend doesn't support documents:\(method).")
    case (.post, nil): return try await create(call, caller)
    case (.get, nil) where call.path.isDocument: return try await get(call, caller)
    case (.get, nil): return try await list(call, caller)
    case (.patch, nil): return try await patch(call, caller)
    case (.delete, nil): return try await delete(call, caller)
    default:
      throw StoreRemoteError(.notFound, "Firestore's API has no such method.")
    }
  }

  /// Decodes the message of a request.
  ///
  /// It isn't inlined because the optimizer of Swift 6.3 crashes on asynchronous functions that contain it.
  @inline(never) private func message<Message: WireDecodable>(of call: DocumentCall) throws -> Message {
    try Message(decoding: call.body, in: call.database)
  }

  // MARK: - Writes

  private func commit(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let request: CommitRequest = try message(of: call)
    let commit = try await database.commit(
      RemoteBatch(writes: request.writes), call.database.database, caller, ending: request.transaction)
    return try Self.response(commit.withUpdateTimes(of: request.writes), in: call.database)
  }

  /// Applies writes one by one, each in a separate commit.
  private func batchWrite(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let request: BatchWriteRequest = try message(of: call)
    guard Set(request.writes.map(\.document)).count == request.writes.count else {
      throw StoreRemoteError(
        .invalidArgument, "A document can be written only once in a BatchWriteRequest.")
    }
    var response = BatchWriteResponse(results: [], errors: [])
    for write in request.writes {
      switch try await outcome(of: write, call, caller) {
      case .success(let result):
        response.results.append(result)
        response.errors.append(nil)
      case .failure(let error):
        response.results.append(RemoteCommit.Result())
        response.errors.append(error)
      }
    }
    return try Self.response(response, in: call.database)
  }

  /// Applies one write of several.
  private func outcome(
    of write: DocumentWrite, _ call: DocumentCall, _ caller: Caller
  ) async throws(CancellationError) -> Result<RemoteCommit.Result, StoreRemoteError> {
    do {
      let commit = try await database.commit(RemoteBatch(writes: [write]), call.database.database, caller)
      return .success(commit.withUpdateTimes(of: [write]).results.first ?? RemoteCommit.Result())
    } catch let error as CancellationError {
      throw error
    } catch {
      return .failure(StoreRemoteError(ofRequest: error))
    }
  }

  /// Creates a document in a collection, with the ID in the query or a new one.
  private func create(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    guard call.path.isCollection else {
      throw StoreRemoteError(.invalidArgument, "A document is created in a collection. Name one in the URL.")
    }
    try call.checkUnsupported("mask.fieldPaths")
    let path = call.path.appending(call.value("documentId") ?? RandomText.make(count: 20))
    return try await write(path, call, caller, condition: Self.object(["exists": .boolean(false)]))
  }

  /// Updates the fields of a document that are in the mask, or replaces it if there is no mask.
  private func patch(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    try call.checkUnsupported("mask.fieldPaths")
    return try await write(call.path, call, caller, condition: try Self.condition(of: call))
  }

  /// Writes the document in a request's body.
  ///
  /// - Returns: the response with the document.
  private func write(
    _ path: ResourcePath, _ call: DocumentCall, _ caller: Caller, condition: FirestoreJSON?
  ) async throws -> TransportStreamingResponse {
    let write = try Self.documentWrite(path, call, condition)
    let name = call.database.database
    _ = try await database.commit(RemoteBatch(writes: [write]), name, caller)
    // Whether the user may write it has been checked. Another commit may have changed it since.
    let written = try await database.fetch([path], name, .administrator, at: nil).result.first
    guard let written, written.fields != nil else { throw Self.missing(path, call.database) }
    return try Self.response(written, in: call.database)
  }

  /// Returns the write of the document in a request's body.
  @inline(never) private static func documentWrite(
    _ path: ResourcePath, _ call: DocumentCall, _ condition: FirestoreJSON?
  ) throws -> DocumentWrite {
    let document = call.body.isEmpty ? nil : try FirestoreJSON(call.body)
    let mask = call.values("updateMask.fieldPaths")
    let paths = FirestoreJSON.array(mask.map { .string($0) })
    let update = object([
      "name": .string(call.database.fullName(of: path)), "fields": document?["fields"],
    ])
    return try DocumentWrite(
      object([
        "update": update, "currentDocument": condition,
        "updateMask": mask.isEmpty ? nil : object(["fieldPaths": paths]),
      ]), in: call.database)
  }

  private func delete(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let write = try Self.deletion(of: call)
    _ = try await database.commit(RemoteBatch(writes: [write]), call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }

  /// Returns the deletion of the document in a request's URL.
  @inline(never) private static func deletion(of call: DocumentCall) throws -> DocumentWrite {
    let message = object([
      "delete": .string(call.database.fullName(of: call.path)), "currentDocument": try condition(of: call),
    ])
    return try DocumentWrite(message, in: call.database)
  }

  /// Returns the precondition in the query of a URL; `nil` if there is none.
  private static func condition(of call: DocumentCall) throws -> FirestoreJSON? {
    if let exists = call.value("currentDocument.exists") {
      guard ["true", "false"].contains(exists) else {
        throw StoreRemoteError(.invalidArgument, "currentDocument.exists must be true or false.")
      }
      return object(["exists": .boolean(exists == "true")])
    }
    return call.value("currentDocument.updateTime").map { object(["updateTime": .string($0)]) }
  }

  /// Returns an object of the members that aren't `nil`.
  private static func object(_ members: KeyValuePairs<String, FirestoreJSON?>) -> FirestoreJSON {
    var object = FirestoreJSON.Members()
    for (name, value) in members {
      if let value { _ = object.insert(value, forKey: UTF8Text(name)) }
    }
    return .object(object)
  }

  /// Deletes all documents of a database, as Google's emulator does for
  /// `DELETE /emulator/v1/projects/P/databases/D/documents`.
  func clear(_ call: DocumentCall, _ caller: Caller) async throws -> TransportStreamingResponse {
    guard call.request.method == .delete, call.path.segments.isEmpty else {
      throw StoreRemoteError(.notFound, "The emulator's API has no such method.")
    }
    try await database.clear(call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }

  // MARK: - Reads

  private func batchGet(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let request: BatchGetRequest = try message(of: call)
    let reading = try await database.fetch(
      request.documents, call.database.database, caller, at: request.consistency)
    let first = reading.transaction.map { BatchGetResponse(transaction: $0) }
    return try MessageArray.response(call.database, first: first, reading.result) { document in
      BatchGetResponse(document: document, readTime: reading.readTime)
    }
  }

  /// Returns the message of a query.
  ///
  /// - Throws: `DocumentError` if it isn't JSON; `StoreRemoteError` with `unimplemented` if it asks for an
  ///   explanation, even by default options, because its result would be another one.
  private static func query(of call: DocumentCall) throws -> FirestoreJSON {
    let json = try FirestoreJSON(call.body)
    guard json["explainOptions"] == nil else {
      throw StoreRemoteError(.unimplemented, "The embedded backend doesn't support explainOptions.")
    }
    return json
  }

  /// Decodes the message of a query.
  @inline(never) private static func queryRequest(of call: DocumentCall) throws -> RunQueryRequest {
    try RunQueryRequest(try query(of: call), parent: call.path, in: call.database)
  }

  /// Decodes the message of an aggregation.
  @inline(never) private static func aggregationRequest(of call: DocumentCall) throws -> AggregationRequest {
    try AggregationRequest(try query(of: call), parent: call.path, in: call.database)
  }

  private func runQuery(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let request = try Self.queryRequest(of: call)
    let reading = try await database.run(
      request.query, call.database.database, caller, at: request.consistency)
    let time = reading.readTime
    var first: RunQueryResponse?
    if let transaction = reading.transaction {
      first = RunQueryResponse(transaction: transaction, readTime: time, isDone: reading.result.isEmpty)
    } else if reading.result.isEmpty {
      first = RunQueryResponse(readTime: time, isDone: true)
    }
    return try MessageArray.response(call.database, first: first, reading.result) { document in
      RunQueryResponse(document: document, readTime: time)
    }
  }

  private func runAggregation(
    _ call: DocumentCall, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let request = try Self.aggregationRequest(of: call)
    let reading = try await database.aggregate(
      request.query, request.aggregations, call.database.database, caller, at: request.consistency)
    var response = AggregationResponse(to: request, values: reading.result, readTime: reading.readTime)
    response.transaction = reading.transaction
    return try MessageArray.response(call.database, first: response)
  }

  private func get(_ call: DocumentCall, _ caller: Caller) async throws -> TransportStreamingResponse {
    try call.checkUnsupported("mask.fieldPaths", "transaction", "readTime")
    let documents = try await database.fetch([call.path], call.database.database, caller, at: nil).result
    guard let document = documents.first, document.fields != nil else {
      throw Self.missing(call.path, call.database)
    }
    return try Self.response(document, in: call.database)
  }

  /// The error for a document that doesn't exist, with Firestore's text.
  private static func missing(_ path: ResourcePath, _ database: DatabaseName) -> StoreRemoteError {
    StoreRemoteError(.notFound, "Document \"\(database.fullName(of: path))\" not found.")
  }

  /// Lists a page of a collection's documents, in the order of their IDs. The token of the next page is the
  /// ID of the last document.
  private func list(_ call: DocumentCall, _ caller: Caller) async throws -> TransportStreamingResponse {
    try call.checkUnsupported("mask.fieldPaths", "transaction", "readTime", "orderBy")
    guard call.value("showMissing") != "true" else {
      throw StoreRemoteError(
        .unimplemented, "The embedded backend doesn't support the parameter showMissing.")
    }
    guard let parent = call.path.parentOfCollection else {
      throw StoreRemoteError(.notFound, "Documents are listed in a collection. Name one in the URL.")
    }
    let size = min(max(try call.number("pageSize") ?? 0, 0), 1_000)
    var query = StructuredQuery(parent: parent, collectionID: call.path.id)
    query.limit = (size == 0 ? 1_000 : size) + 1
    if let token = call.value("pageToken"), !token.isEmpty {
      query.orders = [QueryOrder(field: FieldPath(["__name__"]))]
      query.start = QueryCursor(values: [.reference(call.path.appending(token))], isInclusive: false)
    }
    var documents = try await database.run(query, call.database.database, caller, at: nil).result
    var response = ListDocumentsResponse()
    if documents.count == query.limit {
      documents.removeLast()
      response.nextPageToken = documents.last?.path.id ?? ""
    }
    response.documents = documents
    return try Self.response(response, in: call.database)
  }

  private func listCollectionIDs(
    _ call: DocumentCall, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let request: ListCollectionIDsRequest =
      call.body.isEmpty ? ListCollectionIDsRequest() : try message(of: call)
    guard request.readTime == nil else {
      throw StoreRemoteError(
        .unimplemented, "The embedded backend doesn't support listCollectionIds with a read time.")
    }
    let size = min(max(request.pageSize ?? 1_000, 1), 10_000)
    var ids = try await database.collectionIDs(
      below: call.path, after: request.pageToken.isEmpty ? nil : request.pageToken, limit: size + 1,
      call.database.database, caller)
    var response = ListCollectionIDsResponse(collectionIDs: [])
    if ids.count > size {
      ids.removeLast()
      response.nextPageToken = ids.last ?? ""
    }
    response.collectionIDs = ids
    return try Self.response(response, in: call.database)
  }

  // MARK: - Transactions

  private func beginTransaction(
    _ call: DocumentCall, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let request: BeginTransactionRequest =
      call.body.isEmpty ? BeginTransactionRequest() : try message(of: call)
    let id = try await database.begin(call.database.database, caller, request.options)
    return try Self.response(TransactionReference(transaction: id), in: call.database)
  }

  private func rollback(_ call: DocumentCall, _ caller: Caller) async throws
    -> TransportStreamingResponse
  {
    let request: TransactionReference = try message(of: call)
    try await database.rollBack(request.transaction, call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }
}

extension RemoteCommit {
  /// The result with the update time of every write but deletions, as Firestore sends it.
  ///
  /// - Parameter writes: the writes of the commit.
  func withUpdateTimes(of writes: [DocumentWrite]) -> RemoteCommit {
    var commit = self
    for (index, write) in writes.enumerated().prefix(results.count) where write.operation != .delete {
      commit.results[index].updateTime = results[index].updateTime ?? time
    }
    return commit
  }
}

extension ResourcePath {
  /// Whether this can be the path of a document.
  fileprivate var isDocument: Bool { !segments.isEmpty && segments.count.isMultiple(of: 2) }

  /// Whether this can be the path of a collection.
  fileprivate var isCollection: Bool { !segments.count.isMultiple(of: 2) }

  /// The document of a collection, without segments at the root; `nil` if this isn't the path of a
  /// collection.
  fileprivate var parentOfCollection: ResourcePath? {
    isCollection ? ResourcePath(segments: Array(segments.dropLast())) : nil
  }
}
