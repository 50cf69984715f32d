import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The methods of Firestore's API.
extension DocumentService {
  /// Responds to a parsed request.
  ///
  /// - Throws: `DocumentError` for a message that can't be decoded; `StoreRemoteError`.
  func answer(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    switch (call.request.method, call.method) {
    case (.post, "commit"?): return try await commit(call, caller, database)
    case (.post, "batchWrite"?): return try await batchWrite(call, caller, database)
    case (.post, "batchGet"?): return try await batchGet(call, caller, database)
    case (.post, "runQuery"?): return try await runQuery(call, caller, database)
    case (.post, "runAggregationQuery"?): return try await runAggregation(call, caller, database)
    case (.post, "partitionQuery"?): return try await partitionQuery(call, caller, database)
    case (.post, "beginTransaction"?): return try await beginTransaction(call, caller, database)
    case (.post, "rollback"?): return try await rollback(call, caller, database)
    case (.post, "listCollectionIds"?): return try await listCollectionIDs(call, caller, database)
    case (.post, let method?) where ["executePipeline", "listen", "write"].contains(method):
      throw StoreRemoteError(.unimplemented, "The embedded backend doesn't support documents:\(method).")
    case (.post, nil) where call.path.isDocument:
      throw StoreRemoteError(.invalidArgument, "A document is created in a collection. Name one in the URL.")
    case (.post, nil) where call.path.isCollection: return try await create(call, caller, database)
    case (.get, nil) where call.path.isDocument && !call.listsAllCollections:
      return try await get(call, caller, database)
    case (.get, nil): return try await list(call, caller, database)
    case (.patch, nil) where call.path.isDocument: return try await patch(call, caller, database)
    case (.delete, nil) where call.path.isDocument: return try await delete(call, caller, database)
    case (.patch, nil) where !call.path.segments.isEmpty, (.delete, nil) where !call.path.segments.isEmpty:
      throw StoreRemoteError(.invalidArgument, "The URL names a collection. Name a document.")
    default:
      throw StoreRemoteError(.notFound, "Firestore's API has no such method.")
    }
  }

  /// Decodes the message of a request.
  ///
  /// It isn't inlined because the optimizer of Swift 6.3 crashes on asynchronous functions that contain it.
  @inline(never) func message<Message: WireDecodable>(
    _ name: RequestMessage, of call: DocumentCall
  ) throws -> Message {
    try Message(try call.message(name), in: call.database)
  }

  /// Deletes all documents of a database, as Google's emulator does for
  /// `DELETE /emulator/v1/projects/P/databases/D/documents`.
  func clear(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    guard call.request.method == .delete, call.path.segments.isEmpty else {
      throw StoreRemoteError(.notFound, "The emulator's API has no such method.")
    }
    try await database.clear(call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }

  // MARK: - Transactions

  private func beginTransaction(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkRoot()
    let request: BeginTransactionRequest = try message(.beginTransaction, of: call)
    let id = try await database.begin(call.database.database, caller, request.options)
    return try Self.response(TransactionReference(transaction: id), in: call.database)
  }

  private func rollback(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkRoot()
    let request: TransactionReference = try message(.rollback, of: call)
    try await database.rollBack(request.transaction, call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }
}
