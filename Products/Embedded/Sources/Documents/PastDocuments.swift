import TenonDocuments
import TenonStoreInterop

/// The documents of a database at an earlier time, computed from the current ones and the changes since then.
struct PastDocuments: DocumentHistory {
  /// The time.
  let commitTime: Timestamp
  /// The current documents.
  private let table: PresentDocuments
  /// The documents that were changed since the time, in their earlier states; `nil` in it for those that
  /// didn't exist.
  private let earlier: [ResourcePath: RemoteDocument?]

  /// Creates the state at a time.
  ///
  /// - Parameters:
  ///   - table: the current documents.
  ///   - time: the time, not later than the last commit.
  /// - Returns: `nil` if the changes since then were deleted.
  /// - Complexity: O(*c*) in the number of changes since then.
  init?(_ table: PresentDocuments, at time: Timestamp) throws {
    guard let transitions = try table.transitions(since: time) else { return nil }
    self.table = table
    commitTime = time
    earlier = Dictionary(transitions.map { ($0.path, $0.before) }) { first, _ in first }
  }

  var identity: String { table.identity }
  var namePrefix: String { table.namePrefix }

  func document(_ path: ResourcePath) throws -> RemoteDocument? {
    if let document = earlier[path] { return document }
    return try table.document(path)
  }

  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) throws {
    try table.forEachMatch(of: query) { document in
      if earlier[document.path] == nil { try body(document) }
    }
    for case let document? in earlier.values {
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
    }
  }

  func forEachPath(
    below path: ResourcePath, isOnePerCollection: Bool, _ body: (ResourcePath) throws -> Void
  ) throws {
    // Of a collection, the document that is found may be one that didn't exist.
    try table.forEachPath(below: path, isOnePerCollection: false) { if earlier[$0] == nil { try body($0) } }
    for case let document? in earlier.values where document.path.segments.starts(with: path.segments) {
      if document.path.segments.count > path.segments.count { try body(document.path) }
    }
  }

  /// Changes between two earlier times aren't computed: there are no listeners in the past.
  func transitions(since time: Timestamp) throws -> [DocumentTransition]? { nil }
}
