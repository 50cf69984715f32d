import TenonStoreInterop

/// Which documents belong to a watched target, as the remote's side keeps track of it.
///
/// Without a limit that follows from a document alone, so nothing is kept. With one, the members are kept in their order,
/// and the documents are only read again when members went and others must follow.
struct TargetView: Sendable {
  /// What became of a target's documents.
  struct Movement: Sendable {
    /// Documents that came, or that changed and stayed.
    var present: [RemoteDocument] = []
    /// Documents that left.
    var left: [ResourcePath] = []
    /// How many more documents there are than before.
    var growth = 0
  }

  private enum Scope: Sendable {
    case documents(Set<ResourcePath>)
    case query(ResolvedQuery)
    case limited(ResolvedQuery, limit: Int)
  }

  private let scope: Scope
  private var members: [SortedDocument] = []

  init(_ content: ListenTarget.Content) throws(DocumentError) {
    switch content {
    case .documents(let paths):
      for path in paths { try path.checkDocument() }
      scope = .documents(Set(paths))
    case .query(let query):
      let resolved = try ResolvedQuery(query)
      scope = query.limit.map { .limited(resolved, limit: $0) } ?? .query(resolved)
    }
  }

  /// The documents that belong to the target now; from here on they are followed.
  mutating func begin(_ history: some DocumentHistory) throws -> [RemoteDocument] {
    switch scope {
    case .documents(let paths):
      return try paths.sorted { $0.compare($1) < 0 }.compactMap { try history.document($0) }
    case .query(let query):
      // In any order: who listens sorts by themselves.
      var documents: [RemoteDocument] = []
      try history.forEachMatch(of: query) { documents.append($0) }
      return documents
    case .limited(let query, let limit):
      members = try history.sortedDocuments(of: query, limit: limit)
      return members.map(\.document)
    }
  }

  /// Takes up the state in which the documents were before transitions.
  mutating func rewind(_ transitions: [DocumentTransition], _ history: some DocumentHistory) throws {
    guard case .limited(let query, let limit) = scope else { return }
    // Of what has not changed, no more than the limit belonged to the target; these are among as many more as changed.
    let changed = Set(transitions.map(\.path))
    let present = try history.sortedDocuments(of: query, limit: limit + transitions.count)
    let unchanged = present.filter { !changed.contains($0.document.path) }
    let earlier = transitions.compactMap { SortedDocument($0.before, in: query) }
    members = Self.sorted(unchanged + earlier, query, limit)
  }

  /// Follows transitions, of which the history holds the last state.
  mutating func advance(
    _ transitions: [DocumentTransition], _ history: some DocumentHistory
  ) throws -> Movement {
    switch scope {
    case .limited(let query, let limit): return try advance(transitions, query, limit, history)
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
    // Behind the former last member there may be documents that nobody keeps.
    if wasFull, let edge, next.count < limit || next.contains(where: { query.compare($0.key, edge) > 0 }) {
      next = try history.sortedDocuments(of: query, limit: limit)
    }
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

  /// How many documents belong to the target now.
  func count(_ history: some DocumentHistory) throws -> Int {
    if case .query(let query) = scope { try history.count(of: query) } else { try paths(history).count }
  }

  /// The documents that belong to the target now.
  func paths(_ history: some DocumentHistory) throws -> [ResourcePath] {
    switch scope {
    case .documents(let paths): return try paths.filter { try history.document($0) != nil }
    case .query(let query):
      var paths: [ResourcePath] = []
      try history.forEachMatch(of: query) { paths.append($0.path) }
      return paths
    case .limited: return members.map(\.document.path)
    }
  }

  /// Whether a document belongs to the target, the limit aside.
  private func holds(_ document: RemoteDocument?) -> Bool {
    guard let document, let fields = document.fields else { return false }
    return switch scope {
    case .documents(let paths): paths.contains(document.path)
    case .query(let query), .limited(let query, _): query.matches(fields, at: document.path)
    }
  }

  private static func sorted(
    _ documents: [SortedDocument], _ query: ResolvedQuery, _ limit: Int
  ) -> [SortedDocument] {
    Array(documents.sorted { query.compare($0.key, $1.key) < 0 }.prefix(limit))
  }
}
