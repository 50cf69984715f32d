import TenonStoreInterop

/// The membership of documents in one target of a ``ListenResponder``.
///
/// Without a limit, membership follows from the document alone, so no state is kept. With a limit, the
/// members are kept in their order, and the database is queried again only if members left and others may
/// take their places.
///
/// A view is a value without locks, owned by its responder. It describes the state of the database at the
/// responder's last advance; each call passes the transitions since then.
struct TargetView: Sendable {
  /// A change of a target's documents.
  struct Movement: Sendable {
    /// Documents that entered the target, or that changed and remain in it, in their state after the change.
    var present: [RemoteDocument] = []
    /// Documents that left the target: they were deleted, no longer match, or were displaced by others of a
    /// full target.
    var left: [ResourcePath] = []
    /// Whether the documents have only the fields that the query selects.
    var isProjected = false
    /// The difference between the number of documents after and before; negative if the target shrank.
    var growth = 0
  }

  /// The kind of target, which determines how membership is decided.
  private enum Scope: Sendable {
    /// Individual documents, which belong to the target as long as they exist.
    case documents(Set<ResourcePath>)
    /// A query without a limit: every matching document belongs to the target.
    case query(ResolvedQuery)
    /// A query with a limit of at least 1: whether a document belongs to the target depends on the others.
    case limited(ResolvedQuery, limit: Int)
    /// A query with an offset, which is run again for every change.
    case window(ResolvedQuery)
  }

  /// The documents of the target.
  private let scope: Scope
  /// The fields that the documents have for the client; `nil` for all.
  private var selection: [FieldPath]?
  /// The members in the order of the query. Used only for queries with a limit.
  private var members: [SortedDocument] = []

  /// Creates a view without state. Call ``begin(_:)`` or ``rewind(_:_:)`` before ``advance(_:_:)``.
  ///
  /// - Parameter content: a query, whose limit is taken into account, or the paths of documents, of which
  ///   duplicates count once.
  /// - Throws: ``DocumentError`` if a path or the query is invalid; see ``ResolvedQuery/init(_:)``.
  init(_ content: ListenTarget.Content) throws(DocumentError) {
    switch content {
    case .documents(let paths):
      for path in paths { try path.checkDocument() }
      scope = .documents(Set(paths))
    case .query(let query):
      guard query.nearest == nil else {
        throw DocumentError(.badQuery, "A listener can't search for the nearest vectors; run the query.")
      }
      let resolved = try ResolvedQuery(query)
      selection = query.selection
      scope =
        query.offset > 0
        ? .window(resolved) : query.limit.map { .limited(resolved, limit: $0) } ?? .query(resolved)
    }
  }

  /// Whether the changes since an earlier state can be computed.
  var canResume: Bool { if case .window = scope { false } else { true } }

  /// Returns the current documents of the target, and makes them the state from which ``advance(_:_:)``
  /// continues.
  ///
  /// - Parameter history: the database in its current state.
  /// - Returns: the documents: sorted by path for individual documents, in the order of the query if it has a
  ///   limit, otherwise in any order. Individual documents that don't exist aren't included.
  /// - Throws: errors of the history.
  mutating func begin(_ history: some DocumentHistory) throws -> [RemoteDocument] {
    try found(history).map { $0.selecting(selection) }
  }

  /// Returns the current documents of the target with all fields, and makes them its state.
  private mutating func found(_ history: some DocumentHistory) throws -> [RemoteDocument] {
    switch scope {
    case .documents(let paths):
      return try paths.sorted { $0.compare($1) < 0 }.compactMap { try history.document($0) }
    case .query(let query):
      // In any order: listeners sort the documents themselves.
      var documents: [RemoteDocument] = []
      try history.forEachMatch(of: query) { documents.append($0) }
      return documents
    case .limited(let query, let limit):
      members = try history.sortedDocuments(of: query, limit: limit)
      return members.map(\.document)
    case .window(let query):
      members = try Self.window(of: query, history)
      return members.map(\.document)
    }
  }

  /// Returns the documents of a query behind its offset, up to its limit.
  private static func window(
    of query: ResolvedQuery, _ history: some DocumentHistory
  ) throws -> [SortedDocument] {
    let (offset, limit) = (query.query.offset, query.query.limit)
    let end = limit.map { offset.addingReportingOverflow($0) }
    let last = end.map { $0.overflow ? .max : $0.partialValue }
    // Checked: not negative.
    return Array(try history.sortedDocuments(of: query, limit: last).dropFirst(max(0, offset)))
  }

  /// Sets the state to that before transitions, so that ``advance(_:_:)`` with the same transitions computes
  /// the changes since.
  ///
  /// Without a limit, nothing is read. With one, the earlier members are reconstructed from the unchanged
  /// documents near the beginning of the current result and the earlier states of the changed ones.
  ///
  /// - Parameters:
  ///   - transitions: the changes between the earlier state and the current one.
  ///   - history: the database in its current state.
  mutating func rewind(_ transitions: [DocumentTransition], _ history: some DocumentHistory) throws {
    guard case .limited(let query, let limit) = scope else { return }
    // At most `limit` unchanged documents belonged to the target. They are among the first `limit` + n of the
    // current result, where n is the number of changed documents.
    let changed = Set(transitions.map(\.path))
    let present = try history.sortedDocuments(of: query, limit: limit + transitions.count)
    let unchanged = present.filter { !changed.contains($0.document.path) }
    let earlier = transitions.compactMap { SortedDocument($0.before, in: query) }
    members = Self.sorted(unchanged + earlier, query, limit)
  }

  /// Applies transitions and returns the resulting change of the target.
  ///
  /// - Parameters:
  ///   - transitions: the changes of documents since the state of this view, at most one per document.
  ///   - history: the database in the state after the transitions. It is read only for a query with a limit.
  /// - Returns: the change. A document that changed but didn't belong to the target before or after isn't
  ///   part of it.
  /// - Throws: errors of the history.
  mutating func advance(
    _ transitions: [DocumentTransition], _ history: some DocumentHistory
  ) throws -> Movement {
    var movement = try movement(transitions, history)
    guard selection != nil else { return movement }
    movement.present = movement.present.map { $0.selecting(selection) }
    movement.isProjected = true
    return movement
  }

  /// Applies transitions and returns the resulting change of the target, with all fields of the documents.
  private mutating func movement(
    _ transitions: [DocumentTransition], _ history: some DocumentHistory
  ) throws -> Movement {
    switch scope {
    case .limited(let query, let limit): return try advance(transitions, query, limit, history)
    case .window(let query):
      guard transitions.contains(where: { holds($0.before) || holds($0.after) }) else { return Movement() }
      return replaceMembers(
        with: try Self.window(of: query, history), changed: Set(transitions.map(\.path)))
    case .documents, .query:
      var movement = Movement()
      for transition in transitions {
        let was = holds(transition.before)
        let isNow = holds(transition.after)
        if isNow { movement.present.append(transition.after) }
        if was && !isNow { movement.left.append(transition.path) }
        movement.growth += (isNow ? 1 : 0) - (was ? 1 : 0)
      }
      return movement
    }
  }

  /// Applies transitions to a query with a limit.
  ///
  /// The result is computed from the kept members and the changed documents. Only if the target was full and
  /// then lost members, or if a document now sorts after the previous last member, is the query run again. If
  /// the target wasn't full, it had all matching documents, so nothing can be missing. If it was full and the
  /// candidates up to the former last member still fill it, any document that isn't a candidate sorts after
  /// them.
  ///
  /// - Complexity: O(*m* log *m*) comparisons for the members and the changed documents together, unless the
  ///   query is run.
  private mutating func advance(
    _ transitions: [DocumentTransition], _ query: ResolvedQuery, _ limit: Int, _ history: some DocumentHistory
  ) throws -> Movement {
    let relevant = transitions.filter { holds($0.before) || holds($0.after) }
    guard !relevant.isEmpty else { return Movement() }
    let changed = Set(relevant.map(\.path))
    let wasFull = members.count >= limit
    let edge = members.last?.key
    let kept = members.filter { !changed.contains($0.document.path) }
    var next = Self.sorted(kept + relevant.compactMap { SortedDocument($0.after, in: query) }, query, limit)
    // Documents after the previous last member aren't kept, so they have to be read.
    if wasFull, let edge, next.count < limit || next.contains(where: { query.compare($0.key, edge) > 0 }) {
      next = try history.sortedDocuments(of: query, limit: limit)
    }
    return replaceMembers(with: next, changed: changed)
  }

  /// Replaces the members, and returns the change.
  private mutating func replaceMembers(
    with next: [SortedDocument], changed: Set<ResourcePath>
  ) -> Movement {
    let before = Set(members.map(\.document.path))
    let after = Set(next.map(\.document.path))
    let movement = Movement(
      present: next.map(\.document).filter { !before.contains($0.path) || changed.contains($0.path) },
      left: members.map(\.document.path).filter { !after.contains($0) },
      growth: next.count - members.count
    )
    members = next
    return movement
  }

  /// Returns the current number of documents in the target. A query without a limit is counted by the
  /// history, other documents are counted by ``paths(_:)``.
  func count(_ history: some DocumentHistory) throws -> Int {
    if case .query(let query) = scope { try history.count(of: query) } else { try paths(history).count }
  }

  /// Returns the paths of the documents that currently belong to the target, in any order unless it has a
  /// limit.
  func paths(_ history: some DocumentHistory) throws -> [ResourcePath] {
    switch scope {
    case .documents(let paths): return try paths.filter { try history.document($0) != nil }
    case .query(let query):
      var paths: [ResourcePath] = []
      try history.forEachMatch(of: query) { paths.append($0.path) }
      return paths
    case .limited, .window: return members.map(\.document.path)
    }
  }

  /// Whether a document exists and matches the target. The limit is ignored.
  private func holds(_ document: RemoteDocument?) -> Bool {
    guard let document, let fields = document.fields else { return false }
    return switch scope {
    case .documents(let paths): paths.contains(document.path)
    case .query(let query), .limited(let query, _), .window(let query):
      query.matches(fields, at: document.path)
    }
  }

  /// Returns the first `limit` of the documents, in the order of the query.
  private static func sorted(
    _ documents: [SortedDocument], _ query: ResolvedQuery, _ limit: Int
  ) -> [SortedDocument] {
    // Checked: the limit is positive in a resolved query.
    Array(documents.sorted { query.compare($0.key, $1.key) < 0 }.prefix(limit))
  }
}
