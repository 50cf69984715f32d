import TenonAuthInterop
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// The remote through which Store uses the documents of the embedded backend, for one app and its user.
struct EmbeddedStoreRemote: StoreRemote {
  /// 10, as in Firestore's clients.
  let pipelineDepth = 10

  /// The documents of the backend.
  private let database: DocumentDatabase
  /// Provides the ID token of the user; `nil` if the Auth product isn't linked.
  private let auth: (any AuthInterop)?
  /// Determines the user of the ID token.
  private let authenticator: Authenticator

  /// Creates a remote.
  ///
  /// - Parameters:
  ///   - embedded: the backend.
  ///   - auth: provides the user; without it no user is signed in.
  init(_ embedded: Embedded, auth: (any AuthInterop)?) {
    database = embedded.documentDatabase
    authenticator = embedded.authenticator
    self.auth = auth
  }

  /// Watches targets; see ``DocumentDatabase/listen(_:_:_:)``.
  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    database.listen(requests, context.database) { try await caller(in: context) }
  }

  /// Applies a stream of batches in their order. It ends with the first error.
  ///
  /// - Parameters:
  ///   - batches: the batches.
  ///   - token: the token of an earlier stream, which is returned but not needed: batches are recognized by
  ///     their IDs.
  ///   - context: the database and the expected user.
  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let writing = Task {
      do {
        let caller = try await caller(in: context)
        try await database.checkWritable(context.database)
        // Batches are recognized by their IDs on every stream, so the token has no meaning.
        continuation.yield(.opened(token: token))
        for await batch in batches {
          let commit = try await commit(batch, context.database, caller)
          continuation.yield(
            .committed(commit, token: Data("\(commit.time.microsecondsSince1970)".utf8)))
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in writing.cancel() }
    return events
  }

  /// Applies a batch of a stream. If the database is damaged, the error isn't that of the batch: the stream
  /// ends with `unavailable`, and opening another one fails.
  private func commit(
    _ batch: RemoteBatch, _ name: String, _ caller: Caller
  ) async throws -> RemoteCommit {
    do { return try await database.commit(batch, name, caller) } catch let error as StoreRemoteError {
      guard error.underlying is SQLiteError, error.code == .dataLoss else { throw error }
      throw StoreRemoteError(.unavailable, error.message, underlying: error)
    }
  }

  /// Applies one batch.
  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await database.commit(batch, context.database, try await caller(in: context))
  }

  /// Reads documents.
  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await database.fetch(documents, context.database, try await caller(in: context))
  }

  /// Runs a query.
  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await database.run(query, context.database, try await caller(in: context))
  }

  /// Computes aggregations over the results of a query.
  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    try await database.aggregate(query, aggregations, context.database, try await caller(in: context))
  }

  /// Returns the caller for a context.
  ///
  /// - Throws: `StoreRemoteError` with `unauthenticated` if the context's user is no longer signed in, or
  ///   the ID token is unavailable or invalid; `CancellationError`.
  private func caller(in context: RemoteContext) async throws -> Caller {
    // Store has made sure that the program has TenonAdmin; within the process, no token proves more.
    if context.isAdministrator { return .administrator }
    let token: String?
    do {
      token = try await auth?.token(forcingRefresh: false)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw StoreRemoteError(
        .unauthenticated, "The user's ID token isn't available: \(error.systemReason)", underlying: error)
    }
    guard let token else {
      try check(nil, in: context)
      return .nobody
    }
    guard let caller = authenticator.user(idToken: token) else {
      throw StoreRemoteError(.unauthenticated, "The user's ID token isn't valid for this project.")
    }
    try check(caller.auth?.uid, in: context)
    return caller
  }

  /// Checks that a user is the one of a context.
  private func check(_ user: String?, in context: RemoteContext) throws {
    guard user != context.user else { return }
    func name(_ user: String?) -> String { user.map { "the user \($0)" } ?? "no user" }
    throw StoreRemoteError(
      .unauthenticated,
      "The request was made for \(name(context.user)), but now \(name(user)) is signed in. "
        + "Repeat the request.")
  }
}
