import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The rights of listeners, which can end while they listen: by a change of a document or of the rules, and
/// with their ID tokens.
extension DocumentDatabase {
  /// Checks a target of a stream.
  ///
  /// - Parameters:
  ///   - target: the target, which receives the documents on which its right depends.
  ///   - listener: the stream.
  ///   - table: the documents.
  ///   - changed: the documents that were changed since the target was last allowed; `nil` to check all that
  ///     it has.
  /// - Returns: the error if the rules don't allow the target; `nil` if they do.
  func refusal(
    of target: inout DocumentListener.Target, _ listener: DocumentListener, _ table: PresentDocuments,
    changed: Set<ResourcePath>? = nil
  ) throws -> StoreRemoteError? {
    guard rules.restrict(listener.caller) else { return nil }
    // Rules that were replaced may not have been asked about the target yet.
    let version = rules.version
    let isNew = version != target.rulesVersion
    let isAffected = isNew || changed.map { !$0.isDisjoint(with: target.dependencies) } ?? true
    target.rulesVersion = version
    do {
      switch target.content {
      case .query(let query):
        guard isAffected || !rules.dependOnlyOnDocuments else { return nil }
        target.dependencies = try rules.checkList(query, listener.database, listener.caller, table)
      case .documents(let paths):
        let checked = isAffected ? paths : paths.filter { changed?.contains($0) ?? true }
        guard !checked.isEmpty else { return nil }
        let read = try rules.checkGets(
          try table.documents(at: checked), listener.database, listener.caller, table)
        target.dependencies = isAffected ? read : target.dependencies.union(read)
      }
      return nil
    } catch let error as StoreRemoteError {
      return error
    }
  }

  /// Ends the targets of a stream that the rules no longer allow. A target is checked again if one of its
  /// documents was changed, or one that the rules have read.
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
    let changed = changes.map { Set($0.map(\.path)) }
    var events: [ListenEvent] = []
    for (id, var target) in listener.targets.sorted(by: { $0.key < $1.key }) {
      let refusal = try refusal(of: &target, listener, table, changed: changed)
      listener.targets[id] = refusal == nil ? target : nil
      if let refusal { events += listener.responder.end(id, refusal) }
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
