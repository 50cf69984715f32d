import Foundation
import TenonAuthInterop
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// The documents of the embedded backend, for one app and its user.
struct EmbeddedStoreRemote: StoreRemote {
  private let database: DocumentDatabase
  private let auth: (any AuthInterop)?
  private let now: @Sendable () -> Timestamp

  /// - Parameter auth: tells who the user is; without it nobody is signed in.
  init(_ embedded: Embedded, auth: (any AuthInterop)?) {
    database = embedded.documentDatabase
    now = embedded.accounts.now
    self.auth = auth
  }

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    database.listen(requests, context.database) { try await caller(in: context) }
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let writing = Task {
      do {
        let caller = try await caller(in: context)
        try await database.checkWriting(context.database)
        // Batches are known by their ids, whatever stream they come on, so a token tells nothing.
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

  /// Applies a batch of a stream. A failure of the database isn't the batch's: the stream ends, and isn't opened again.
  private func commit(
    _ batch: RemoteBatch, _ name: String, _ caller: DocumentCaller
  ) async throws -> RemoteCommit {
    do { return try await database.commit(batch, name, caller) } catch let error as StoreRemoteError {
      guard error.underlying is SQLiteError, error.code == .dataLoss else { throw error }
      throw StoreRemoteError(.unavailable, error.message, underlying: error)
    }
  }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await database.commit(batch, context.database, try await caller(in: context))
  }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await database.fetch(documents, context.database, try await caller(in: context))
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await database.run(query, context.database, try await caller(in: context))
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] {
    try await database.aggregate(query, aggregations, context.database, try await caller(in: context))
  }

  /// - Throws: ``StoreRemoteError`` when the user isn't the one who is signed in now.
  private func caller(in context: RemoteContext) async throws -> DocumentCaller {
    let token: String?
    do {
      token = try await auth?.token(forcingRefresh: false)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw StoreRemoteError(
        .unauthenticated, "The user's ID token can't be had: \(error)", underlying: error)
    }
    guard let token else {
      try check(nil, in: context)
      return .client(nil)
    }
    guard let user = CallableAuth(idToken: token, projectID: database.projectID, now: now()) else {
      throw StoreRemoteError(.unauthenticated, "The user's ID token doesn't hold for this project.")
    }
    try check(user.uid, in: context)
    return .client(user)
  }

  private func check(_ user: String?, in context: RemoteContext) throws {
    guard user != context.user else { return }
    func name(_ user: String?) -> String { user.map { "the user \($0)" } ?? "nobody" }
    throw StoreRemoteError(
      .unauthenticated,
      "It was asked for \(name(context.user)), but \(name(user)) is signed in by now. Ask again.")
  }
}
