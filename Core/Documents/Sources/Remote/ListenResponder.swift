package import TenonFoundation
import TenonJSON
package import TenonStoreInterop

/// The server side of one listen stream (`google.firestore.v1.Firestore.Listen`): it computes the events to
/// be sent in response to requests and to changes of documents.
///
/// The owner sends the returned events in their order. It calls ``take(_:_:)`` for each request and
/// ``advance(_:)`` after commits, and passes a history that no commit changes during the call. A responder is
/// a value without locks; the owner serializes access. It lives as long as its stream: a client that
/// reconnects begins a new one with resume tokens.
///
/// At every consistent snapshot, a client that has applied all events has the documents that belong to each
/// target at that time. An existence filter reports the exception: a resumed target whose documents the
/// client didn't have completely.
package struct ListenResponder: Sendable {
  /// The active targets by their IDs.
  private var views: [Int: TargetView] = [:]
  /// The commit time up to which all changes have been sent.
  ///
  /// It never decreases as long as the history's doesn't.
  package private(set) var commitTime: Timestamp

  /// Creates a responder without targets, at the time of the database's last commit.
  ///
  /// - Parameter history: the database. It isn't retained; each call passes its current state.
  package init(_ history: some DocumentHistory) { commitTime = history.commitTime }

  /// Whether the responder has no targets.
  package var isEmpty: Bool { views.isEmpty }

  // MARK: - Requests

  /// Applies a request and returns the events to be sent for it.
  ///
  /// All commits must have been processed by ``advance(_:)`` before.
  ///
  /// - Parameters:
  ///   - request: the target to add or to remove.
  ///   - history: the database.
  /// - Returns: the events. For an invalid target this is a single event that removes the target with an
  ///   error.
  /// - Throws: errors of the history.
  package mutating func take(
    _ request: ListenRequest, _ history: some DocumentHistory
  ) throws -> [ListenEvent] {
    switch request {
    case .remove(let id): return end(id, nil)
    case .add(let target):
      guard target.id > 0 else {
        return end(target.id, StoreRemoteError(.invalidArgument, "Targets have positive numbers."))
      }
      let view: TargetView
      do throws(DocumentError) {
        view = try TargetView(target.content)
      } catch {
        return end(target.id, StoreRemoteError(.invalidArgument, error.message, underlying: error))
      }
      return try begin(view, target, history)
    }
  }

  /// Removes a target.
  ///
  /// The removal is reported also for a target that doesn't exist, because a client waits for the response to
  /// each request.
  ///
  /// - Parameters:
  ///   - id: the target.
  ///   - error: the reason; `nil` if the client removed the target.
  /// - Returns: the event that reports the removal.
  package mutating func end(_ id: Int, _ error: (any Error)?) -> [ListenEvent] {
    views[id] = nil
    return [.target(TargetChange(.removed(error), targets: [id]))]
  }

  /// Adds a target and returns the events that bring the client up to date.
  ///
  /// A target that can be resumed receives only the changes since its resumption point. If the client states
  /// the number of documents it has (`expectedCount`) and that number is wrong, an existence filter with a
  /// bloom filter follows, from which the client finds removals it missed. Otherwise the target is sent in
  /// full, after a `reset` if the client asked to resume it.
  ///
  /// The events are: `added`; the documents, or the changes; an existence filter, if needed; `current`; and a
  /// consistent snapshot of all targets. An existing target with the same ID is replaced.
  ///
  /// - Parameters:
  ///   - view: the target's content.
  ///   - target: the request.
  ///   - history: the database.
  /// - Returns: the events, in the order described above.
  /// - Throws: errors of the history. The responder is then unchanged.
  private mutating func begin(
    _ view: TargetView, _ target: ListenTarget, _ history: some DocumentHistory
  ) throws -> [ListenEvent] {
    var view = view
    var events: [ListenEvent] = [.target(TargetChange(.added, targets: [target.id]))]
    let resumption = view.canResume ? target.resumption : nil
    let since = resumption.flatMap { Self.commitTime(of: $0, in: history) }
    if let transitions = try since.flatMap({ try history.transitions(since: $0) }) {
      try view.rewind(transitions, history)
      let movement = try view.advance(transitions, history)
      events += Self.events([(target.id, movement)], transitions)
      if let expected = target.expectedCount {
        let count = try view.count(history)
        if count - movement.growth != expected {
          let names = BloomFilter(try view.paths(history), prefix: history.namePrefix)
          events.append(
            .existenceFilter(ExistenceFilter(target: target.id, count: count, names: names?.wire)))
        }
      }
    } else {
      if target.resumption != nil { events.append(.target(TargetChange(.reset, targets: [target.id]))) }
      events += try view.begin(history).map { .document($0, added: [target.id], removed: []) }
    }
    guard !target.isOnce else {
      views[target.id] = nil
      return events + [current([target.id], history), snapshot(history)] + end(target.id, nil)
    }
    views[target.id] = view
    return events + [current([target.id], history), snapshot(history)]
  }

  // MARK: - Changes

  /// Returns the events to be sent for all commits since ``commitTime``, and advances the responder to the
  /// history's last commit.
  ///
  /// If the changes since ``commitTime`` are no longer retained, all targets are reset and sent in full.
  ///
  /// A commit that changes no document of any target still yields the event of a consistent snapshot, which
  /// renews the clients' resume tokens. The owner may replace it by a later ``snapshot(_:)``; see
  /// ``ListenEvent/isSnapshot``.
  ///
  /// - Returns: the events; none if nothing was committed, or if there are no targets.
  /// - Throws: errors of the history.
  package mutating func advance(_ history: some DocumentHistory) throws -> [ListenEvent] {
    guard history.commitTime != commitTime else { return [] }
    guard let transitions = try history.transitions(since: commitTime) else { return try restart(history) }
    commitTime = history.commitTime
    guard !views.isEmpty else { return [] }
    var movements: [(target: Int, movement: TargetView.Movement)] = []
    for id in views.keys.sorted() {
      if let movement = try views[id]?.advance(transitions, history) { movements.append((id, movement)) }
    }
    return Self.events(movements, transitions) + [snapshot(history)]
  }

  /// Resets all targets and sends them in full, because the changes since ``commitTime`` are no longer
  /// retained. Clients then discard the documents of each target, and the events end with `current` and a
  /// consistent snapshot.
  private mutating func restart(_ history: some DocumentHistory) throws -> [ListenEvent] {
    commitTime = history.commitTime
    guard !views.isEmpty else { return [] }
    let ids = views.keys.sorted()
    var events: [ListenEvent] = [.target(TargetChange(.reset, targets: ids))]
    for id in ids {
      for document in try views[id]?.begin(history) ?? [] {
        events.append(.document(document, added: [id], removed: []))
      }
    }
    return events + [current(ids, history), snapshot(history)]
  }

  // MARK: - Events

  /// Returns the event that marks targets as complete at the time of the last commit
  /// (`TargetChange.CURRENT`).
  private func current(_ targets: [Int], _ history: some DocumentHistory) -> ListenEvent {
    .target(
      TargetChange(
        .current, targets: targets, token: Self.token(of: history), readTime: history.commitTime))
  }

  /// Returns the event that marks a consistent snapshot of all targets (`TargetChange.NO_CHANGE` without
  /// target IDs).
  ///
  /// - Parameter history: the database. All commits must have been processed by ``advance(_:)``.
  package func snapshot(_ history: some DocumentHistory) -> ListenEvent {
    .target(TargetChange(.noChange, token: Self.token(of: history), readTime: history.commitTime))
  }

  /// Combines the changes of targets into one event per document, sorted by path, each listing all targets
  /// that it concerns.
  ///
  /// A document that enters one target and leaves another is sent once, in its new state.
  ///
  /// - Parameters:
  ///   - movements: the changes of each target.
  ///   - transitions: the changes of documents, from which deletions are taken: a deleted document is sent as
  ///     a document without fields, one that merely left a target as a removal.
  private static func events(
    _ movements: [(target: Int, movement: TargetView.Movement)], _ transitions: [DocumentTransition]
  ) -> [ListenEvent] {
    /// What is to be sent for one document.
    struct News {
      var document: RemoteDocument?
      var added: [Int] = []
      var removed: [Int] = []
    }
    var news: [ResourcePath: News] = [:]
    var parts: [ResourcePath: [ListenEvent]] = [:]
    for (target, movement) in movements {
      for document in movement.present {
        guard !movement.isProjected else {
          // A target that selects fields receives the document in a form that no other target shares.
          parts[document.path, default: []].append(.document(document, added: [target], removed: []))
          continue
        }
        news[document.path, default: News()].document = document
        news[document.path, default: News()].added.append(target)
      }
      for path in movement.left { news[path, default: News()].removed.append(target) }
    }
    for transition in transitions where transition.after.fields == nil && news[transition.path] != nil {
      news[transition.path]?.document = transition.after
    }
    return Set(news.keys).union(parts.keys).sorted { $0.compare($1) < 0 }.flatMap { path in
      let projected = parts[path] ?? []
      guard let item = news[path] else { return projected }
      guard let document = item.document else { return [.removed(path, from: item.removed)] + projected }
      return [.document(document, added: item.added, removed: item.removed)] + projected
    }
  }

  // MARK: - Tokens

  /// Returns the resume token for the history's current state: the database's ``DocumentHistory/identity``
  /// and the time of the last commit in microseconds since 1970, separated by a space, as UTF-8.
  ///
  /// A token of another database, or of a previous database of the same name, is ignored when a target is
  /// resumed.
  package static func token(of history: some DocumentHistory) -> Data {
    Data("\(history.identity) \(history.commitTime.microsecondsSince1970)".utf8)
  }

  /// Returns the time from which a target is resumed.
  ///
  /// - Parameters:
  ///   - resumption: a read time, which is used as it is, or a token.
  ///   - history: the database, whose tokens are the only ones accepted.
  /// - Returns: `nil` if the token is malformed or was issued for another database. Whether changes since the
  ///   time are still retained isn't checked here.
  private static func commitTime(
    of resumption: ListenTarget.Resumption, in history: some DocumentHistory
  ) -> Timestamp? {
    switch resumption {
    case .readTime(let time): return time
    case .token(let token):
      let parts = String(decoding: token, as: UTF8.self).split(separator: " ")
      guard parts.count == 2, parts[0] == history.identity, let microseconds = Int64(decimal: parts[1]) else {
        return nil
      }
      return Timestamp(microsecondsSince1970: microseconds)
    }
  }
}

extension ListenEvent {
  /// Whether the event marks a consistent snapshot of all targets (`TargetChange.NO_CHANGE` without target
  /// IDs). Without another event before it, it changes nothing but the time and the tokens.
  package var isSnapshot: Bool {
    guard case .target(let change) = self, case .noChange = change.kind else { return false }
    return change.targets.isEmpty
  }
}
