import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The calls of Firestore's streams, for one database and its caller.
struct DocumentStreams {
  /// The documents.
  private let backend: DocumentDatabase
  /// The database.
  private let database: DatabaseName
  /// The user whose access the rules decide, that of the handshake.
  private let caller: Caller

  /// Creates a value for the database of a handshake.
  ///
  /// - Parameters:
  ///   - projects: the documents of the projects.
  ///   - name: the full name of the database.
  ///   - caller: the caller.
  /// - Throws: `DocumentError` if the name can't be parsed; the errors of ``DocumentProjects/database(of:)``.
  init(_ projects: DocumentProjects, _ name: String, _ caller: Caller) throws {
    database = try DatabaseName(parsing: name)
    backend = try projects.database(of: database.project)
    self.caller = caller
  }

  /// Decodes a message of a client. It isn't inlined because the optimizer of Swift 6.3 crashes on
  /// asynchronous functions that contain it.
  @inline(never) private static func decode<Message: WireDecodable>(
    _ message: Data, _ name: RequestMessage, _ database: DatabaseName
  ) throws(DocumentError) -> Message {
    let json = try FirestoreJSON(message, limit: FirestoreJSON.largestMessage)
    return try Message(try json.request(name), in: database)
  }

  // MARK: - Listening

  /// Listens to the targets of a client (`google.firestore.v1.Firestore.Listen`), until the session ends.
  ///
  /// - Throws: the error that ends the stream. An unsupported target only ends itself.
  func listen(_ session: some DocumentStream) async throws {
    let failure = Lock<(any Error)?>(nil)
    let requests = AsyncStream<ListenRequest> { [database] in
      while let message = await session.next() {
        do throws(DocumentError) {
          return try Self.decode(message, .listen, database)
        } catch {
          do {
            guard try await Self.refuseTarget(of: message, error, session, database) else { throw error }
          } catch {
            failure.withLock { $0 = error }
            return nil
          }
        }
      }
      return nil
    }
    let caller = caller
    for try await event in backend.listen(requests, database.database, { caller }, isRemote: true) {
      try await session.send(try event.encoded(in: database))
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Reports that a target isn't supported.
  ///
  /// - Parameters:
  ///   - message: a request that can't be decoded.
  ///   - error: the error.
  /// - Returns: `false` if the request doesn't add a target, or is malformed.
  private static func refuseTarget(
    of message: Data, _ error: DocumentError, _ session: some DocumentStream, _ database: DatabaseName
  ) async throws -> Bool {
    guard error.code == .unsupported, let target = target(in: message) else { return false }
    let change = TargetChange(.removed(StoreRemoteError(ofRequest: error)), targets: [target])
    try await session.send(try ListenEvent.target(change).encoded(in: database))
    return true
  }

  /// Returns the ID of the target that a request adds; `nil` if there is none.
  @inline(never) private static func target(in message: Data) -> Int? {
    (try? FirestoreJSON(message))?["addTarget"]?["targetId"]?.integer.flatMap { Int(exactly: $0) }
  }

  // MARK: - Writing

  /// Applies the batches of a client in their order (`google.firestore.v1.Firestore.Write`), until it sends
  /// one without writes.
  ///
  /// - Throws: the error of the first batch that isn't applied. The later ones aren't applied either.
  func write(_ session: some DocumentStream) async throws {
    var count = 0
    while let message = await session.next() {
      let request: WriteStreamRequest = try Self.decode(message, .writeStream, database)
      var response = WriteStreamResponse(streamToken: Data("\(count)".utf8))
      if count == 0 {
        guard request.writes.isEmpty else {
          throw StoreRemoteError(.invalidArgument, "The first request of a write stream has no writes.")
        }
        try await backend.checkWritable(database.database)
        response.streamID = request.streamID.isEmpty ? "1" : request.streamID
      } else {
        let commit = try await backend.commit(
          RemoteBatch(writes: request.writes), database.database, caller)
        response.commit = commit.withUpdateTimes(of: request.writes)
      }
      try await session.send(try response.encoded(in: database))
      guard count == 0 || !request.writes.isEmpty else { return }
      count += 1
    }
  }
}
