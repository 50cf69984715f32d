import TenonDocuments
import TenonStoreInterop
import TenonValues

/// The documents that pins keep, at one time within a transaction.
///
/// A pinned query without a limit is compared with each document in question; one with a limit is run once,
/// because whether a document belongs to its result depends on the others.
struct PinnedDocuments {
  /// The documents that are pinned themselves.
  private var documents: Set<ResourcePath> = []
  /// The pinned queries without a limit.
  private var queries: [ResolvedQuery] = []
  /// The results of the pinned queries with a limit.
  private var limited: Set<ResourcePath> = []
  private let reader: LocalReader?

  /// Reads the results of the pinned queries with a limit.
  ///
  /// - Parameters:
  ///   - pins: the pins.
  ///   - reader: reads documents.
  /// - Throws: as ``LocalReader``.
  init(_ pins: [PinTable.Pin], _ reader: LocalReader?) throws {
    self.reader = reader
    for pin in pins {
      switch pin.subject {
      case .document(let path): documents.insert(path)
      case .query(let query) where query.run.query.limit == nil: queries.append(query.run)
      case .query(let query):
        for document in try reader?.documents(of: query.run) ?? [] { limited.insert(document.path) }
      }
    }
  }

  /// Returns whether a pin keeps a document.
  ///
  /// - Parameter path: the document, which is read if a pinned query without a limit may contain it.
  /// - Throws: as ``LocalReader``.
  func contains(_ path: ResourcePath) throws -> Bool {
    if documents.contains(path) || limited.contains(path) { return true }
    return try matchesQuery(path)
  }

  /// Returns whether only pinned queries with a limit keep a document. It may leave their results because of
  /// others.
  ///
  /// - Throws: as ``LocalReader``.
  func isKeptByLimit(_ path: ResourcePath) throws -> Bool {
    guard limited.contains(path), !documents.contains(path) else { return false }
    return try !matchesQuery(path)
  }

  /// Returns whether a document belongs to the result of a pinned query without a limit.
  private func matchesQuery(_ path: ResourcePath) throws -> Bool {
    let candidates = queries.filter { $0.isInScope(path) }
    guard !candidates.isEmpty, let document = try reader?.document(path) else { return false }
    return candidates.contains { $0.matches(document.fields, at: path) }
  }
}
