package import Foundation
package import TenonStoreInterop

/// One stream on which a remote tells of the targets that a client watches: what it sends for the client's wishes, and
/// when documents change. Whoever holds it sends the events in their order.
package struct ListenSession: Sendable {
  private var views: [Int: TargetView] = [:]
  /// The moment up to which everything was told.
  package private(set) var moment: Timestamp

  /// A session without targets, at a database's present moment.
  package init(_ history: some DocumentHistory) { moment = history.moment }

  /// Whether nothing is watched.
  package var isEmpty: Bool { views.isEmpty }

  // MARK: - Wishes

  /// What is sent for a wish. Everything that was committed must have been told before.
  ///
  /// - Throws: what the history throws. What is wrong with a target is an event that ends it.
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

  /// Ends a target, for an error or as the client asked.
  package mutating func end(_ id: Int, _ error: (any Error)?) -> [ListenEvent] {
    views[id] = nil
    return [.target(TargetChange(.removed(error), targets: [id]))]
  }

  private mutating func begin(
    _ view: TargetView, _ target: ListenTarget, _ history: some DocumentHistory
  ) throws -> [ListenEvent] {
    var view = view
    var events: [ListenEvent] = [.target(TargetChange(.added, targets: [target.id]))]
    let since = target.resumption.flatMap { Self.moment(of: $0, in: history) }
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
    views[target.id] = view
    return events + [current([target.id], history), agreement(history)]
  }

  // MARK: - Changes

  /// What is sent because documents changed. It brings the session to the history's moment.
  package mutating func advance(_ history: some DocumentHistory) throws -> [ListenEvent] {
    guard history.moment != moment else { return [] }
    guard let transitions = try history.transitions(since: moment) else { return try restart(history) }
    moment = history.moment
    guard !views.isEmpty else { return [] }
    var movements: [(target: Int, movement: TargetView.Movement)] = []
    for id in views.keys.sorted() {
      if let movement = try views[id]?.advance(transitions, history) { movements.append((id, movement)) }
    }
    return Self.events(movements, transitions) + [agreement(history)]
  }

  /// Sends every target anew, when what changed since is no longer known.
  private mutating func restart(_ history: some DocumentHistory) throws -> [ListenEvent] {
    moment = history.moment
    guard !views.isEmpty else { return [] }
    let ids = views.keys.sorted()
    var events: [ListenEvent] = [.target(TargetChange(.reset, targets: ids))]
    for id in ids {
      for document in try views[id]?.begin(history) ?? [] {
        events.append(.document(document, added: [id], removed: []))
      }
    }
    return events + [current(ids, history), agreement(history)]
  }

  // MARK: - Events

  private func current(_ targets: [Int], _ history: some DocumentHistory) -> ListenEvent {
    .target(
      TargetChange(
        .current, targets: targets, token: Self.token(of: history), readTime: history.moment))
  }

  private func agreement(_ history: some DocumentHistory) -> ListenEvent {
    .target(TargetChange(.noChange, token: Self.token(of: history), readTime: history.moment))
  }

  /// One event for each document, whatever number of targets it concerns.
  private static func events(
    _ movements: [(target: Int, movement: TargetView.Movement)], _ transitions: [DocumentTransition]
  ) -> [ListenEvent] {
    struct News {
      var document: RemoteDocument?
      var added: [Int] = []
      var removed: [Int] = []
    }
    var news: [ResourcePath: News] = [:]
    for (target, movement) in movements {
      for document in movement.present {
        news[document.path, default: News()].document = document
        news[document.path, default: News()].added.append(target)
      }
      for path in movement.left { news[path, default: News()].removed.append(target) }
    }
    for transition in transitions where transition.after.fields == nil && news[transition.path] != nil {
      news[transition.path]?.document = transition.after
    }
    return news.keys.sorted { $0.compare($1) < 0 }.compactMap { path in
      guard let item = news[path] else { return nil }
      if let document = item.document { return .document(document, added: item.added, removed: item.removed) }
      return .removed(path, from: item.removed)
    }
  }

  // MARK: - Tokens

  /// A database and a moment. A token of another database, or of one that was there before, tells nothing.
  package static func token(of history: some DocumentHistory) -> Data {
    Data("\(history.identity) \(history.moment.microsecondsSince1970)".utf8)
  }

  private static func moment(
    of resumption: ListenTarget.Resumption, in history: some DocumentHistory
  ) -> Timestamp? {
    switch resumption {
    case .readTime(let time): return time
    case .token(let token):
      let parts = String(decoding: token, as: UTF8.self).split(separator: " ")
      guard parts.count == 2, parts[0] == history.identity, let microseconds = Int64(parts[1]) else {
        return nil
      }
      return Timestamp(microsecondsSince1970: microseconds)
    }
  }
}
