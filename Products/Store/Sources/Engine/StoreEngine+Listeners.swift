import Foundation
import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension StoreEngine {
  nonisolated func documentSnapshots(_ reference: DocumentReference) -> AsyncThrowingStream<
    DocumentSnapshot, any Error
  > {
    let path = reference.path
    let registration = listen { engine, database in .document(path, try engine.document(path, database)) }
    return AsyncThrowingStream {
      try await registration.next().map {
        DocumentSnapshot(reference: reference, document: $0.documents.first)
      }
    }
  }

  nonisolated func querySnapshots(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
    // A query that breaks a rule ends the stream with its error.
    let runnable = Result { try RunnableQuery(query) }
    let registration = listen { engine, database in
      .query(try engine.result(of: runnable.get().run, database))
    }
    return AsyncThrowingStream {
      guard let delivery = try await registration.next() else { return nil }
      return QuerySnapshot(store: query.store, query: try runnable.get(), delivery: delivery)
    }
  }

  private nonisolated func listen(
    to target: @escaping @Sendable (isolated StoreEngine, Connection) throws -> Listener.Target
  ) -> ListenerRegistration {
    let id = UUID()
    let channel = SnapshotChannel()
    Task { await addListener(id, channel, target) }
    return ListenerRegistration(engine: self, id: id, channel: channel)
  }

  private func addListener(
    _ id: UUID,
    _ channel: SnapshotChannel,
    _ target: (isolated StoreEngine, Connection) throws -> Listener.Target
  ) {
    guard !channel.isOver else { return }
    do {
      let database = try database()
      let listener = try database.transaction(.deferred) {
        // In one transaction: the first result and the place in the changes belong together.
        if listeners.isEmpty { lastSequence = try newestSequence(database) }
        try takeInChanges(database)
        return Listener(channel: channel, target: try target(self, database))
      }
      listeners[id] = listener
      channel.send(listener.documents)
      startPolling(database)
    } catch {
      channel.finish(throwing: StoreError.wrapping(error))
    }
  }

  func removeListener(_ id: UUID) {
    listeners[id] = nil
    guard listeners.isEmpty else { return }
    poller?.cancel()
    poller = nil
  }

  func endListening(throwing error: (any Error)?) {
    for listener in listeners.values { listener.channel.finish(throwing: error) }
    listeners = [:]
    poller?.cancel()
    poller = nil
  }

  // MARK: - Changes

  /// Tells listeners what has changed since they were last told, here or in another process.
  func deliverChanges() {
    guard !listeners.isEmpty else { return }
    do {
      let database = try database()
      try database.transaction(.deferred) { try takeInChanges(database) }
    } catch {
      logger.error("Listening to \(path ?? "the database in memory") failed: \(error)")
      endListening(throwing: StoreError.wrapping(error))
    }
  }

  private func takeInChanges(_ database: Connection) throws {
    guard !listeners.isEmpty else { return }
    let oldest = try database.first("SELECT min(sequence) FROM changes") { $0.optionalInteger(0) } ?? nil
    if let oldest, oldest > lastSequence + 1 {
      lastSequence = try newestSequence(database)
      try readAnew(Array(listeners.keys), database)
      return
    }
    var last = lastSequence
    var changed: Set<ResourcePath> = []
    try database.forEachRow(
      "SELECT sequence, collection, name FROM changes WHERE sequence > ? ORDER BY sequence",
      [.integer(lastSequence)]
    ) { row in
      last = row.integer(0)
      changed.insert(try collection(row.integer(1), database).appending(row.text(2)))
      return true
    }
    guard last != lastSequence else { return }
    var touched: Set<UUID> = []
    var stale: Set<UUID> = []
    for path in changed {
      let document = try document(path, database)
      for id in listeners.keys {
        switch listeners[id]?.apply(path, document) {
        case .changed: touched.insert(id)
        case .readAnew: stale.insert(id)
        case nil, .some(.none): break
        }
      }
    }
    lastSequence = last
    try readAnew(Array(stale), database)
    for id in touched.subtracting(stale) {
      if let listener = listeners[id] { listener.channel.send(listener.documents) }
    }
  }

  private func readAnew(_ ids: [UUID], _ database: Connection) throws {
    for id in ids {
      guard var listener = listeners[id] else { continue }
      switch listener.target {
      case .document(let path, _): listener.target = .document(path, try document(path, database))
      case .query(let old): listener.target = .query(try result(of: old.query, database))
      }
      listeners[id] = listener
      listener.channel.send(listener.documents)
    }
  }

  private func result(of query: ResolvedQuery, _ database: Connection) throws -> SortedResult {
    var result = SortedResult(query: query, limit: query.query.limit ?? .max)
    for document in try documents(of: query, database) { result.add(document) }
    return result
  }

  func newestSequence(_ database: Connection) throws -> Int64 {
    try database.first("SELECT max(sequence) FROM changes") { $0.integer(0) } ?? 0
  }

  // MARK: - Other processes

  /// Looks every 50 ms whether another process has written, as long as somebody listens. SQLite answers that from
  /// memory that the processes share.
  private func startPolling(_ database: Connection) {
    guard path != nil, poller == nil else { return }
    lastDataVersion = (try? database.dataVersion) ?? 0
    poller = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(50))
        await self?.poll()
      }
    }
    // What another process wrote while the first result was read.
    deliverChanges()
  }

  private func poll() {
    guard !listeners.isEmpty, let version = try? database().dataVersion, version != lastDataVersion else {
      return
    }
    lastDataVersion = version
    deliverChanges()
  }
}
