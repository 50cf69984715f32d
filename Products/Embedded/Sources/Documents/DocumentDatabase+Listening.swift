import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// One stream of a client that listens.
struct DocumentListening {
  let database: String
  let caller: DocumentCaller
  var session: ListenSession
  let events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
}

extension DocumentDatabase {
  /// Watches targets until the requests end or nobody reads the events any more.
  ///
  /// - Parameter caller: tells who listens, when the stream begins.
  nonisolated func listen(
    _ requests: AsyncStream<ListenRequest>, _ database: String,
    _ caller: @escaping @Sendable () async throws -> DocumentCaller
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<ListenEvent, any Error>.makeStream()
    let reading = Task {
      do {
        let id = try await begin(database, try await caller(), continuation)
        for await request in requests { await take(request, id) }
        await end(id, Task.isCancelled ? CancellationError() : nil)
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in reading.cancel() }
    return events
  }

  private func begin(
    _ database: String, _ caller: DocumentCaller,
    _ events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
  ) throws -> Int {
    do {
      let session = try read(database) { ListenSession($0) }
      lastListening += 1
      listenings[lastListening] = DocumentListening(
        database: database, caller: caller, session: session, events: events)
      startPolling()
      return lastListening
    } catch {
      throw StoreRemoteError.wrapping(error)
    }
  }

  private func take(_ request: ListenRequest, _ id: Int) {
    guard var listening = listenings[id] else { return }
    do {
      let events = try read(listening.database) { table in
        // What was committed meanwhile comes first, so that all targets agree.
        var events = try listening.session.advance(table)
        if case .add(let target) = request, let refusal = try refusal(of: target, listening, table) {
          events += listening.session.end(target.id, refusal)
        } else {
          events += try listening.session.take(request, table)
        }
        return events
      }
      listenings[id] = listening
      for event in events { listening.events.yield(event) }
    } catch {
      end(id, StoreRemoteError.wrapping(error))
    }
  }

  /// Why the rules don't let a target be watched; `nil` when they do.
  private func refusal(
    of target: ListenTarget, _ listening: DocumentListening, _ table: DocumentTable
  ) throws -> StoreRemoteError? {
    do {
      switch target.content {
      case .query(let query): try rules.checkList(query, listening.database, listening.caller)
      case .documents(let paths):
        for path in paths {
          try rules.checkGet(path, try table.document(path), listening.database, listening.caller)
        }
      }
      return nil
    } catch let error as StoreRemoteError {
      return error
    }
  }

  private func end(_ id: Int, _ error: (any Error)?) {
    listenings.removeValue(forKey: id)?.events.finish(throwing: error)
    stopPollingIfIdle()
  }

  func endListening(_ error: any Error) {
    for listening in listenings.values { listening.events.finish(throwing: error) }
    listenings = [:]
    stopPollingIfIdle()
  }

  // MARK: - Changes

  /// Tells listeners what has changed since they were last told, by whomever.
  ///
  /// - Parameter name: the database; all that are listened to when `nil`.
  func deliverChanges(of name: String? = nil) {
    for database in Set(listenings.values.map(\.database)) where name == nil || name == database {
      do {
        try read(database) { try deliverChanges(of: database, $0) }
      } catch {
        logger?.error("Telling listeners of \(database) failed: \(error)")
        for (id, listening) in listenings where listening.database == database {
          end(id, StoreRemoteError.wrapping(error))
        }
      }
    }
  }

  private func deliverChanges(of database: String, _ table: DocumentTable) throws {
    for id in listenings.keys.sorted() {
      guard var listening = listenings[id], listening.database == database else { continue }
      let events = try listening.session.advance(table)
      listenings[id] = listening
      for event in events { listening.events.yield(event) }
    }
  }

  // MARK: - Other processes

  /// Looks every 50 ms whether somebody else has written, as long as somebody listens. SQLite answers that from memory
  /// that the processes share.
  private func startPolling() {
    guard file != nil, poller == nil else { return }
    lastDataVersion = (try? opened().dataVersion) ?? 0
    poller = Task { [weak self] in
      await TimeSource.system.poll(every: .milliseconds(50)) {
        await self?.poll()
        return self != nil
      }
    }
  }

  private func stopPollingIfIdle() {
    guard listenings.isEmpty else { return }
    poller?.cancel()
    poller = nil
  }

  private func poll() {
    guard !listenings.isEmpty, let version = try? opened().dataVersion, version != lastDataVersion else {
      return
    }
    lastDataVersion = version
    deliverChanges()
  }
}
