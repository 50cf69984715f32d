import TenonCore
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// A listen stream of a client.
struct DocumentListener {
  /// The ID of the database.
  let database: String
  /// The user for whom the rules are checked.
  let caller: DocumentCaller
  /// The targets of the stream, and the state that the client knows.
  var session: ListenSession
  /// The events that the client receives.
  let events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
}

extension DocumentDatabase {
  /// Opens a stream that watches targets. It ends when the requests end or the client stops reading events.
  ///
  /// - Parameters:
  ///   - requests: The targets to add and remove.
  ///   - database: The ID of the database.
  ///   - caller: Returns the user when the stream is opened.
  /// - Returns: The events. They end with `StoreRemoteError` if the user can't be determined or the database
  ///   can't be read.
  nonisolated func listen(
    _ requests: AsyncStream<ListenRequest>, _ database: String,
    _ caller: @escaping @Sendable () async throws -> DocumentCaller
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<ListenEvent, any Error>.makeStream()
    let reading = Task {
      do {
        let id = try await begin(database, try await caller(), continuation)
        for await request in requests { await handle(request, id) }
        await end(id, Task.isCancelled ? CancellationError() : nil)
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in reading.cancel() }
    return events
  }

  /// Adds a stream, and begins to poll for the commits of other processes.
  ///
  /// - Returns: The ID of the stream.
  ///
  /// - Throws: `StoreRemoteError` if the database can't be read.
  private func begin(
    _ database: String, _ caller: DocumentCaller,
    _ events: AsyncThrowingStream<ListenEvent, any Error>.Continuation
  ) throws -> Int {
    do {
      let session = try read(database) { ListenSession($0) }
      lastListenerID += 1
      listeners[lastListenerID] = DocumentListener(
        database: database, caller: caller, session: session, events: events)
      startPolling()
      return lastListenerID
    } catch {
      throw StoreRemoteError.wrapping(error)
    }
  }

  /// Handles a request of a stream: adds or removes a target.
  ///
  /// - Parameters:
  ///   - request: The target to add or remove. A target that the rules don't allow is removed with their
  ///     error.
  ///   - id: The ID of the stream. Requests of a stream that has ended are ignored.
  private func handle(_ request: ListenRequest, _ id: Int) {
    guard var listener = listeners[id] else { return }
    do {
      let events = try read(listener.database) { table in
        // The commits since the last event come first, so that all targets show the same state.
        var events = try listener.session.advance(table)
        if case .add(let target) = request, let refusal = try refusal(of: target, listener, table) {
          events += listener.session.end(target.id, refusal)
        } else {
          events += try listener.session.take(request, table)
        }
        return events
      }
      listeners[id] = listener
      for event in events { listener.events.yield(event) }
    } catch {
      end(id, StoreRemoteError.wrapping(error))
    }
  }

  /// Returns the error for a target that the rules don't allow; `nil` if they allow it.
  private func refusal(
    of target: ListenTarget, _ listener: DocumentListener, _ table: DocumentTable
  ) throws -> StoreRemoteError? {
    do {
      switch target.content {
      case .query(let query): try rules.checkList(query, listener.database, listener.caller)
      case .documents(let paths):
        for path in paths {
          try rules.checkGet(path, try table.document(path), listener.database, listener.caller)
        }
      }
      return nil
    } catch let error as StoreRemoteError {
      return error
    }
  }

  /// Removes a stream and finishes its events.
  ///
  /// - Parameter error: The error with which they finish; `nil` if the client ended the stream.
  private func end(_ id: Int, _ error: (any Error)?) {
    listeners.removeValue(forKey: id)?.events.finish(throwing: error)
    stopPollingIfIdle()
  }

  /// Finishes the events of all streams with an error.
  func endListeners(_ error: any Error) {
    for listener in listeners.values { listener.events.finish(throwing: error) }
    listeners = [:]
    stopPollingIfIdle()
  }

  // MARK: - Changes

  /// Sends the changes since the last event to the streams, whichever app or process committed them.
  ///
  /// - Parameter name: The ID of the database; `nil` for all databases with streams.
  ///
  /// - Complexity: O(*c* + *l*), where *c* is the number of changes and *l* the number of streams, if the
  ///   streams are at the same time.
  func deliverChanges(of name: String? = nil) {
    for database in Set(listeners.values.map(\.database)) where name == nil || name == database {
      do {
        try read(database) { try deliverChanges(of: database, $0) }
      } catch {
        logger?.error("The changes of the database \(database) could not be delivered: \(error.systemReason)")
        for (id, listener) in listeners where listener.database == database {
          end(id, StoreRemoteError.wrapping(error))
        }
      }
    }
  }

  /// Sends the changes of a database to its streams, in the order in which they were opened.
  private func deliverChanges(of database: String, _ table: DocumentTable) throws {
    for id in listeners.keys.sorted() {
      guard var listener = listeners[id], listener.database == database else { continue }
      let events = try listener.session.advance(table)
      listeners[id] = listener
      for event in events { listener.events.yield(event) }
    }
  }

  // MARK: - Other processes

  /// Begins to check every 50 ms whether another process has committed, as long as there are streams. SQLite
  /// answers this from shared memory, without reading the file.
  private func startPolling() {
    guard file != nil, poller == nil else { return }
    lastDataVersion = (try? opened().dataVersion) ?? 0
    poller = Task { [weak self, time] in
      await time.poll(every: .milliseconds(50)) {
        await self?.poll()
        return self != nil
      }
    }
  }

  /// Stops checking if there are no more streams.
  private func stopPollingIfIdle() {
    guard listeners.isEmpty else { return }
    poller?.cancel()
    poller = nil
  }

  /// Delivers the commits of other processes, if there are any.
  private func poll() {
    guard !listeners.isEmpty, let version = try? opened().dataVersion, version != lastDataVersion else {
      return
    }
    lastDataVersion = version
    deliverChanges()
  }
}
