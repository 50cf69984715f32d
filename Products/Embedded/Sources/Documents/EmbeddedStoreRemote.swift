import Foundation
import TenonAuthInterop
import TenonDocuments
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
    _ requests: AsyncStream<ListenRequest>, database name: String
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    database.listen(requests, name) { try await caller() }
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, database name: String
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let writing = Task {
      do {
        let caller = try await caller()
        // Batches are known by their ids, whatever stream they come on, so a token tells nothing.
        continuation.yield(.opened(token: token))
        for await batch in batches {
          let commit = try await database.commit(batch, name, caller)
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

  func commit(_ batch: RemoteBatch, database name: String) async throws -> RemoteCommit {
    try await database.commit(batch, name, try await caller())
  }

  func fetch(_ documents: [ResourcePath], database name: String) async throws -> [RemoteDocument] {
    try await database.fetch(documents, name, try await caller())
  }

  func run(_ query: StructuredQuery, database name: String) async throws -> [RemoteDocument] {
    try await database.run(query, name, try await caller())
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], database name: String
  ) async throws -> [Value] {
    try await database.aggregate(query, aggregations, name, try await caller())
  }

  private func caller() async throws -> DocumentCaller {
    let token: String?
    do {
      token = try await auth?.token(forcingRefresh: false)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw StoreRemoteError(
        .unauthenticated, "The user's ID token can't be had: \(error)", underlying: error)
    }
    guard let token else { return .client(nil) }
    guard let user = CallableAuth(idToken: token, projectID: database.projectID, now: now()) else {
      throw StoreRemoteError(.unauthenticated, "The user's ID token doesn't hold for this project.")
    }
    return .client(user)
  }
}
