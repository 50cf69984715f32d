import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
import TenonStoreInterop

/// A listen stream of a client.
struct DocumentListener {
  /// The ID of the database.
  let database: String
  /// The user whose access the rules decide.
  let caller: Caller
  /// What the client listens to, by the IDs of the targets.
  var targets: [Int: Target] = [:]
  /// The targets of the stream, and the state that the client knows.
  var responder: ListenResponder
  /// The events that the client receives.
  let events: ListenQueue
  /// Whether the client has yet to be told the time of the last commits, which changed nothing else for it.
  var owesSnapshot = false

  /// What a client listens to.
  struct Target {
    /// The query or the documents.
    let content: ListenTarget.Content
    /// The documents that the rules have read to allow it.
    var dependencies: Set<ResourcePath> = []
    /// The version of the rules that have allowed it; `nil` if there were none.
    var rulesVersion: Int?
  }
}

extension DocumentDatabase {
  /// Opens a stream that watches targets. It ends when the requests end or the client stops reading events.
  ///
  /// A client that reads slowly receives the changes that it missed together, and its requests wait; see
  /// ``ListenQueue``.
  ///
  /// - Parameters:
  ///   - requests: the targets to add and remove.
  ///   - database: the ID of the database.
  ///   - caller: returns the user when the stream is opened.
  ///   - isRemote: whether the client is in another process. The events that wait for all such clients are
  ///     limited together.
  /// - Returns: the events. They end with `StoreRemoteError` if the user can't be determined or the database
  ///   can't be read.
  nonisolated func listen(
    _ requests: AsyncStream<ListenRequest>, _ database: String,
    _ caller: @escaping @Sendable () async throws -> Caller, isRemote: Bool = false
  ) -> AsyncThrowingStream<ListenEvent, any Error> {
    let events = ListenQueue(total: isRemote ? unreadEvents : nil)
    let handling = Task {
      do {
        let id = try await begin(database, try await caller(), events)
        for await request in requests {
          await events.waitForRoom()
          while !Task.isCancelled, await !handle(request, id) { try? await time.sleep(.milliseconds(20)) }
        }
        await end(id, Task.isCancelled ? CancellationError() : nil)
      } catch {
        events.finish(error)
      }
    }
    let reader = ListenReader(events, handling: handling)
    return AsyncThrowingStream { try await reader.next() }
  }

  /// Adds a stream, and begins to poll for the commits of other processes.
  ///
  /// - Returns: the ID of the stream.
  ///
  /// - Throws: `StoreRemoteError` if the database can't be read.
  private func begin(
    _ database: String, _ caller: Caller,
    _ events: ListenQueue
  ) throws -> Int {
    do {
      let responder = try read(database) { ListenResponder($0) }
      lastListenerID += 1
      listeners[lastListenerID] = DocumentListener(
        database: database, caller: caller, responder: responder, events: events)
      events.onRoom { [weak self, lastListenerID] in
        Task { await self?.deliverSkippedChanges(to: lastListenerID) }
      }
      startPolling()
      if let expiration = caller.expiration { endListeners(from: expiration) }
      return lastListenerID
    } catch {
      throw StoreRemoteError.wrapping(error)
    }
  }

  /// Handles a request of a stream: adds or removes a target.
  ///
  /// - Parameters:
  ///   - request: the target to add or remove. A target that the rules don't allow is removed with their
  ///     error.
  ///   - id: the ID of the stream. Requests of a stream that has ended are ignored.
  /// - Returns: `false` if too many events wait for remote clients, so that the request must be handled
  ///   later.
  private func handle(_ request: ListenRequest, _ id: Int) -> Bool {
    guard var listener = listeners[id], !endIfExpired(id) else { return true }
    if case .add = request, listener.events.total?.isReached ?? false { return false }
    do {
      let events = try read(listener.database) { table in
        // The commits since the last event come first, so that all targets show the same state.
        var events = try advance(&listener, table)
        switch request {
        case .add(let target):
          var added = DocumentListener.Target(content: target.content)
          if let refusal = try refusal(of: &added, listener, table) {
            listener.targets[target.id] = nil
            return events + listener.responder.end(target.id, refusal)
          }
          listener.targets[target.id] = added
        case .remove(let id): listener.targets[id] = nil
        }
        events += try listener.responder.take(request, table)
        return events
      }
      if events.contains(where: \.isSnapshot) { listener.owesSnapshot = false }
      listeners[id] = listener
      listener.events.append(events)
    } catch {
      end(id, StoreRemoteError.wrapping(error))
    }
    return true
  }

  /// Removes a stream and finishes its events.
  ///
  /// - Parameter error: the error with which they finish; `nil` if the client ended the stream.
  func end(_ id: Int, _ error: (any Error)?) {
    listeners.removeValue(forKey: id)?.events.finish(error)
    stopPollingIfIdle()
  }

  /// Finishes the events of all streams with an error.
  func endListeners(_ error: any Error) {
    for listener in listeners.values { listener.events.finish(error) }
    listeners = [:]
    stopPollingIfIdle()
  }

  // MARK: - Changes

  /// Sends the changes since the last event to the streams, whichever app or process committed them.
  ///
  /// - Parameter name: the ID of the database; `nil` for all databases with streams.
  ///
  /// - Complexity: O(*c* + *l*), where *c* is the number of changes and *l* the number of streams, if the
  ///   streams are at the same time.
  func deliverChanges(of name: String? = nil) {
    for database in Set(listeners.values.map(\.database)) where name == nil || name == database {
      do {
        try read(database) { try deliverChanges(of: database, $0) }
      } catch {
        end(streamsOf: database, error)
      }
    }
  }

  /// Ends the streams of a database whose changes couldn't be read.
  private func end(streamsOf database: String, _ error: any Error) {
    logger?.error("The changes of the database \(database) couldn't be delivered: \(error.systemReason)")
    for (id, listener) in listeners where listener.database == database {
      end(id, StoreRemoteError.wrapping(error))
    }
  }

  /// Sends the changes of a database to its streams, in the order in which they were opened. Streams whose
  /// readers are slow are skipped until they have read.
  private func deliverChanges(of database: String, _ table: PresentDocuments) throws {
    for id in listeners.keys.sorted() {
      guard let listener = listeners[id], listener.database == database, listener.events.hasRoom() else {
        continue
      }
      try deliverChanges(to: id, table)
    }
  }

  /// Sends the changes since its last event to a stream. A snapshot without changes is sent later.
  private func deliverChanges(to id: Int, _ table: PresentDocuments) throws {
    // Taken out, because a copy of it would be copied again to be changed.
    guard !endIfExpired(id), var listener = listeners.removeValue(forKey: id) else { return }
    defer { listeners[id] = listener }
    let events = try advance(&listener, table)
    guard !events.isEmpty else { return }
    listener.owesSnapshot = events.allSatisfy(\.isSnapshot)
    if listener.owesSnapshot { sendSnapshotsLater() } else { listener.events.append(events) }
  }

  // MARK: - Snapshots without changes

  /// The time within which a stream receives the snapshot of a commit that changes nothing for it.
  ///
  /// Clients need it only to resume a stream from a later time. If it were sent for every commit, a commit
  /// that concerns one of thousands of streams would write to all of them.
  static let snapshotInterval = Duration.seconds(1)

  /// Sends the snapshots that streams are owed after ``snapshotInterval``.
  private func sendSnapshotsLater() {
    guard snapshots == nil else { return }
    snapshots = Task { [weak self, time] in
      do { try await time.sleep(Self.snapshotInterval) } catch { return }
      await self?.sendSnapshots()
    }
  }

  /// Sends the snapshots that streams are owed. A stream whose reader is slow receives it after it has read.
  private func sendSnapshots() {
    snapshots = nil
    for database in Set(listeners.values.filter(\.owesSnapshot).map(\.database)) {
      do {
        try read(database) { table in
          for (id, listener) in listeners where listener.database == database && listener.owesSnapshot {
            // One that is behind receives the changes that it has missed first.
            guard listener.events.hasRoom(), listener.responder.commitTime == table.commitTime else {
              continue
            }
            listeners[id]?.owesSnapshot = false
            guard !listener.responder.isEmpty else { continue }
            listener.events.append([listener.responder.snapshot(table)])
          }
        }
      } catch {
        end(streamsOf: database, error)
      }
    }
  }

  /// Returns the events for the commits since the last event of a stream, after ending the targets that the
  /// rules no longer allow.
  private func advance(_ listener: inout DocumentListener, _ table: PresentDocuments) throws -> [ListenEvent]
  {
    guard table.commitTime != listener.responder.commitTime else { return [] }
    let revoked = try revoke(
      &listener, table, changes: table.transitions(since: listener.responder.commitTime))
    return revoked + (try listener.responder.advance(table))
  }

  /// Sends the changes that were skipped while the reader of a stream was slow.
  private func deliverSkippedChanges(to id: Int) {
    guard let listener = listeners[id], listener.events.hasRoom() else { return }
    do {
      try read(listener.database) { try deliverChanges(to: id, $0) }
      if listener.owesSnapshot { sendSnapshotsLater() }
    } catch {
      end(id, StoreRemoteError.wrapping(error))
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
    snapshots?.cancel()
    snapshots = nil
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
