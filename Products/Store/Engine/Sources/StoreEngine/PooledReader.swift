import TenonFoundation
import TenonSQLite

/// A connection that only reads, on a dedicated dispatch queue.
///
/// The connection is opened by the first read, and stays open until ``close()``.
actor PooledReader {
  /// The outcome of a read.
  enum Outcome<Result: Sendable>: Sendable {
    /// The result of the read, and the requests for indexes that it made.
    case result(Result, IndexRequests.Taken)
    /// The read wasn't performed. The engine has to perform it.
    case notRead
  }

  /// The parts whose lifetime is that of the open connection.
  private struct Running {
    let documents: LocalReader
    let globals: GlobalTable
    let requests: IndexRequests
  }

  /// The serial queue on which the reader runs.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The queue of the reader.
  nonisolated let executor = QueueExecutor(label: "tenon-store-reader")
  private var running: Running?

  /// Performs a read on the last committed state.
  ///
  /// - Parameters:
  ///   - source: the database, and the user whose writes the documents must contain.
  ///   - isCurrent: returns whether the source is still that of the open database. No file is opened
  ///     otherwise.
  ///   - body: performs the read.
  /// - Returns: `notRead` if the database was closed in the meantime or can't be opened, or if the documents
  ///   contain the writes of another user.
  /// - Throws: what `body` throws, as ``StoreError`` if possible; `CancellationError`.
  func read<Result: Sendable>(
    _ source: ReaderPool.Source, while isCurrent: @Sendable () -> Bool,
    _ body: @Sendable (LocalReader) throws -> Result
  ) throws -> Outcome<Result> {
    // Closing the database waits for this job, so the file stays open until it ends.
    guard isCurrent() else { return .notRead }
    guard let running = running ?? (try? Self.open(source)) else { return .notRead }
    self.running = running
    do {
      return try running.documents.transactions.read {
        guard try !source.hasRemote || running.globals.text("user") == source.user else { return .notRead }
        let result = try body(running.documents)
        return .result(result, running.requests.take())
      }
    } catch {
      throw StoreError.wrapping(error)
    }
  }

  /// Opens the connection.
  ///
  /// - Throws: `SQLiteError`.
  private static func open(_ source: ReaderPool.Source) throws -> Running {
    let connection = try Connection.open(
      source.path, disk: source.disk, readsOnly: true, key: source.key)
    let tables = try LocalTables(connection, collection: .leastRecentlyUsed(threshold: nil))
    let transactions = try Transactions(
      connection, globals: tables.globals, indexes: tables.indexes, isNumbered: false, participants: [],
      onCommit: {})
    let documents = LocalReader(tables, transactions, hasRemote: source.hasRemote, isCancellable: true)
    tables.indexRequests.registersIndexes = source.registersIndexes
    tables.indexRequests.now = source.now
    return Running(documents: documents, globals: tables.globals, requests: tables.indexRequests)
  }

  /// Closes the connection. The next read opens it again.
  func close() { running = nil }

  /// Closes the connection after the reads that wait or run, and returns then. It blocks the calling thread,
  /// which must not belong to the cooperative pool.
  nonisolated func closeWaiting() {
    executor.blocking { assumeIsolated { $0.close() } }
  }
}
