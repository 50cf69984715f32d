import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The methods of Firestore's API that write.
extension DocumentService {
  func commit(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkRoot()
    let request: CommitRequest = try message(.commit, of: call)
    let commit = try await database.commit(
      RemoteBatch(writes: request.writes), call.database.database, caller, ending: request.transaction)
    return try Self.response(commit.withUpdateTimes(of: request.writes), in: call.database)
  }

  /// Applies writes one by one, each in a separate commit. Nothing is applied if one of them is invalid.
  func batchWrite(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkRoot()
    let request: BatchWriteRequest = try message(.batchWrite, of: call)
    guard Set(request.writes.map(\.document)).count == request.writes.count else {
      throw StoreRemoteError(
        .invalidArgument, "A document can be written only once in a BatchWriteRequest.")
    }
    for write in request.writes { try write.checkWhole() }
    var response = BatchWriteResponse(results: [], errors: [])
    for write in request.writes {
      switch try await outcome(of: write, call, caller, database) {
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
    of write: DocumentWrite, _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
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
  func create(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let id = call.value("documentId").flatMap { $0.isEmpty ? nil : $0 }
    let path = call.path.appending(id ?? RandomText.make(count: 20))
    try path.checkDocument()
    return try await write(path, call, caller, database, condition: .exists(false))
  }

  /// Updates the fields of a document that are in the mask, or replaces it if there is no mask.
  func patch(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try await write(call.path, call, caller, database, condition: try Self.condition(of: call))
  }

  /// Writes the document in a request's body.
  ///
  /// - Returns: the response with the document.
  private func write(
    _ path: ResourcePath, _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase,
    condition: WritePrecondition?
  ) async throws -> TransportStreamingResponse {
    let mask = try call.mask("mask")
    let write = try Self.documentWrite(path, call, condition)
    let name = call.database.database
    _ = try await database.commit(RemoteBatch(writes: [write]), name, caller)
    // Whether the user may write it has been checked. Another commit may have changed it since.
    let written = try await database.fetch([path], name, .administrator, at: nil).result.first
    guard let written, written.fields != nil else { throw Self.missing(path, call.database) }
    return try Self.response(written.selecting(mask), in: call.database)
  }

  /// Returns the write of the document in a request's body.
  @inline(never) private static func documentWrite(
    _ path: ResourcePath, _ call: DocumentCall, _ condition: WritePrecondition?
  ) throws -> DocumentWrite {
    let document = try call.message(.document)
    if let name = document["name"]?.string, !name.isEmpty {
      guard call.method == nil, call.request.method == .patch, name == call.database.fullName(of: path) else {
        throw StoreRemoteError(
          .invalidArgument, "The URL names the document; leave out the name in the body.")
      }
    }
    let fields = try document["fields"]?.fields(in: call.database) ?? Fields()
    let mask = try call.mask("updateMask")
    return DocumentWrite(
      path, mask.map { .update(fields, mask: $0) } ?? .set(fields), precondition: condition)
  }

  func delete(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    let write = DocumentWrite(call.path, .delete, precondition: try Self.condition(of: call))
    _ = try await database.commit(RemoteBatch(writes: [write]), call.database.database, caller)
    return try Self.response(EmptyMessage(), in: call.database)
  }

  /// Returns the precondition in the query of a URL; `nil` if there is none.
  private static func condition(of call: DocumentCall) throws -> WritePrecondition? {
    let exists = try call.flag("currentDocument.exists")
    let time = try call.value("currentDocument.updateTime").map { try FirestoreJSON.string($0).timestamp() }
    guard exists == nil || time == nil else {
      throw StoreRemoteError(
        .invalidArgument, "A precondition is either currentDocument.exists or currentDocument.updateTime.")
    }
    return exists.map { .exists($0) } ?? time.map { .updated($0) }
  }

  /// The error for a document that doesn't exist, with Firestore's text.
  static func missing(_ path: ResourcePath, _ database: DatabaseName) -> StoreRemoteError {
    StoreRemoteError(.notFound, "Document \"\(database.fullName(of: path))\" not found.")
  }
}

extension RemoteCommit {
  /// The result with the update time of every write to a document that exists after the commit, as Firestore
  /// sends it.
  ///
  /// - Parameter writes: the writes of the commit.
  func withUpdateTimes(of writes: [DocumentWrite]) -> RemoteCommit {
    var commit = self
    var deleted: Set<ResourcePath> = []
    for write in writes where !write.isVerification {
      if write.operation == .delete { deleted.insert(write.document) } else { deleted.remove(write.document) }
    }
    for (index, write) in writes.enumerated().prefix(results.count) where !deleted.contains(write.document) {
      commit.results[index].updateTime = results[index].updateTime ?? time
    }
    return commit
  }
}
