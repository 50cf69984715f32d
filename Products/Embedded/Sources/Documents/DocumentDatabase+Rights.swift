import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The rights of listeners, which can end while they listen: by a change of a document or of the rules, and
/// with their ID tokens.
extension DocumentDatabase {
  /// Returns the error for a target that the rules don't allow; `nil` if they allow it.
  ///
  /// - Parameters:
  ///   - content: the query or the documents.
  ///   - listener: the stream.
  ///   - table: the documents.
  ///   - changed: the documents that were changed since they were last allowed; `nil` for all.
  func refusal(
    of content: ListenTarget.Content, _ listener: DocumentListener, _ table: PresentDocuments,
    changed: Set<ResourcePath>? = nil
  ) throws -> StoreRemoteError? {
    guard rules.restrict(listener.caller) else { return nil }
    do {
      switch content {
      case .query(let query): try rules.checkList(query, listener.database, listener.caller, table)
      case .documents(let paths):
        let affected = paths.filter { changed?.contains($0) ?? true }
        try rules.checkGets(
          try table.documents(at: affected), listener.database, listener.caller, table)
      }
      return nil
    } catch let error as StoreRemoteError {
      return error
    }
  }

  /// Ends the targets of a stream that the rules no longer allow.
  ///
  /// - Parameters:
  ///   - listener: the stream.
  ///   - table: the documents.
  ///   - changes: the changes since the targets were last allowed; `nil` to check all of their documents.
  /// - Returns: the events that tell the client.
  func revoke(
    _ listener: inout DocumentListener, _ table: PresentDocuments, changes: [DocumentTransition]?
  ) throws -> [ListenEvent] {
    guard rules.restrict(listener.caller) else { return [] }
    let changed = rules.dependOnOtherDocuments ? nil : changes.map { Set($0.map(\.path)) }
    var events: [ListenEvent] = []
    for (id, content) in listener.targets.sorted(by: { $0.key < $1.key }) {
      guard let refusal = try refusal(of: content, listener, table, changed: changed) else { continue }
      listener.targets[id] = nil
      events += listener.session.end(id, refusal)
    }
    return events
  }

  /// Ends the targets of all streams that the rules no longer allow, after they were replaced.
  func reviewListeners() {
    for id in listeners.keys.sorted() {
      guard var listener = listeners[id] else { continue }
      do {
        let events = try read(listener.database) { table in
          try revoke(&listener, table, changes: nil)
        }
        listeners[id] = listener
        listener.events.append(events)
      } catch {
        end(id, StoreRemoteError.wrapping(error))
      }
    }
  }

  // MARK: - Expiration

  /// Ends a stream whose ID token has expired.
  ///
  /// - Returns: whether it has.
  func endIfExpired(_ id: Int) -> Bool {
    guard let listener = listeners[id], listener.caller.isExpired(at: time.timestamp()) else { return false }
    end(id, Self.expired)
    return true
  }

  /// Ends the streams whose ID tokens expire, beginning at a time. One task waits for the earliest of them:
  /// it is kept if it ends before the time, because a cancelled sleep stays in memory until its time has
  /// come.
  ///
  /// - Parameter expiration: the time at which a token expires, in seconds since 1970.
  func endListeners(from expiration: Int64) {
    if let expirations, expirations.next <= expiration { return }
    expirations?.task.cancel()
    let wait = Duration.wait(seconds: Double(expiration) - Double(time.timestamp().seconds))
    let task = Task { [weak self, time] in
      do { try await time.sleep(wait) } catch { return }
      await self?.endExpiredListeners()
    }
    expirations = (task, expiration)
  }

  /// Ends the streams whose ID tokens have expired, and waits for the next ones.
  private func endExpiredListeners() {
    expirations = nil
    for id in listeners.keys.sorted() { _ = endIfExpired(id) }
    if let next = listeners.values.compactMap(\.caller.expiration).min() { endListeners(from: next) }
  }
}
