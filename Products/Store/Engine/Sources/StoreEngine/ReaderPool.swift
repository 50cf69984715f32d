import TenonAuthInterop
import TenonFoundation
import TenonSQLite

/// Reads the documents of this device on separate connections while the engine is busy, for example with a
/// large batch.
///
/// With a write-ahead log, a reader sees the last committed state and waits for no writer
/// (https://sqlite.org/wal.html). A write that has returned is committed, so every read that begins
/// afterwards sees it.
///
/// The engine performs reads itself unless it has been busy for a moment, so that an app whose operations are
/// short has one connection. A database in memory always has one, and no readers. Thread-safe.
final class ReaderPool: Sendable {
  /// The properties of the open database that readers need.
  struct Source: Sendable {
    /// The path of the file.
    let path: String
    /// The name of the SQLite VFS; `nil` for the default one.
    let disk: String?
    /// The key; `nil` if the database isn't encrypted.
    var key: DatabaseKey?
    /// Whether documents are synchronized with a remote.
    let hasRemote: Bool
    /// Whether indexes that queries lack are registered.
    let registersIndexes: Bool
    /// Returns the current time, in microseconds since 1970.
    let now: @Sendable () -> Int64
    /// The provider of the signed-in user; `nil` if writes aren't attributed to users.
    let auth: (any AuthInterop)?
    /// The user whose pending writes the documents contain; `nil` if no user is signed in.
    var user: String?
  }

  private struct State {
    /// The open database; `nil` while it is closed.
    var source: Source?
    /// The number of times that the database was opened, by which a reader detects that it was closed.
    var opening = 0
    /// The readers, and for each the number of reads that wait or run.
    var readers: [(reader: PooledReader, reads: Int)] = []
    /// The requests for indexes that reads have made.
    var requests = IndexRequests.Taken()
  }

  /// The maximum number of connections.
  private static let most = 4

  private let state = Lock(State())

  /// Starts to read a database that was opened.
  func open(_ source: Source) {
    state.withLock { state in
      state.opening += 1
      state.source = source
    }
  }

  /// Records the user whose pending writes the documents contain from now on. No effect while the database is
  /// closed.
  func show(_ user: String?) { state.withLock { $0.source?.user = user } }

  /// Records the key that has replaced the one of the database. No effect while the database is closed.
  func replaceKey(with key: DatabaseKey) { state.withLock { $0.source?.key = key } }

  /// Closes all connections after the reads in progress, and returns then. It blocks the calling thread,
  /// which must not belong to the cooperative pool.
  func close() {
    let readers = state.withLock { state in
      state.source = nil
      return state.readers.map(\.reader)
    }
    for reader in readers { reader.closeWaiting() }
  }

  /// Performs a read.
  ///
  /// - Parameter body: performs the read on the executor of a reader.
  /// - Returns: `notRead` if the engine has to perform the read: while the database is closed, and if another
  ///   user has signed in whose writes aren't shown yet.
  /// - Throws: as ``PooledReader/read(_:while:_:)``.
  @concurrent func read<Result: Sendable>(
    _ body: @Sendable (LocalReader) throws -> Result
  ) async throws -> PooledReader.Outcome<Result> {
    guard let source = state.withLock({ $0.source }) else { return .notRead }
    if let auth = source.auth {
      // The engine reports a session that can't be read.
      guard case .some(let user) = try? await auth.currentUserID, user == source.user else { return .notRead }
    }
    guard let (index, reader, opening) = take() else { return .notRead }
    defer { state.withLock { $0.readers[index].reads -= 1 } }
    let outcome = try await reader.read(
      source, while: { self.state.withLock { $0.source != nil && $0.opening == opening } }, body)
    if case .result(_, let requests) = outcome, !requests.isEmpty {
      state.withLock { $0.requests.formUnion(requests) }
    }
    return outcome
  }

  /// Removes what reads have found out about indexes, and returns it.
  func takeRequests() -> IndexRequests.Taken {
    state.withLock { state in
      defer { state.requests = IndexRequests.Taken() }
      return state.requests
    }
  }

  /// Takes the reader with the fewest reads, and counts another one.
  ///
  /// - Returns: the index of the reader, the reader, and the number of the opening; `nil` while the database
  ///   is closed.
  private func take() -> (Int, PooledReader, opening: Int)? {
    state.withLock { state in
      guard state.source != nil else { return nil }
      var index = state.readers.indices.min { state.readers[$0].reads < state.readers[$1].reads }
      if index.map({ state.readers[$0].reads > 0 }) ?? true, state.readers.count < Self.most {
        state.readers.append((PooledReader(), 0))
        index = state.readers.count - 1
      }
      guard let index else { return nil }
      state.readers[index].reads += 1
      return (index, state.readers[index].reader, state.opening)
    }
  }
}
