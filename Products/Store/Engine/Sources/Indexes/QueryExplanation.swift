public import TenonFoundation

/// How a query is answered on this device: which indexes are used, which ones are missing, and how many
/// entries are read.
///
/// ```swift
/// let songs = store.collection("songs")
/// for author in ["ann", "bob", "ann"] { try await songs.addDocument(data: ["author": author]) }
/// print(try await songs.whereField("author", isEqualTo: "ann").explain())
/// // → scan, no index: values of author; 3 entries read for 2 results
/// ```
public struct QueryExplanation: Sendable, Equatable, CustomStringConvertible {
  /// An index of a single field that the query would read, but which doesn't exist or isn't complete.
  public struct MissingIndex: Sendable, Equatable {
    /// Why the index is missing.
    public enum State: Sendable, Hashable {
      /// It isn't registered. A query that reads more than 100 documents for lack of it registers it.
      case unregistered
      /// It is being built; so many of the documents are indexed.
      case building(OperationProgress)
      /// ``StoreSettings/fieldOverrides`` exempts the field, or ``StoreSettings/fieldIndexing`` is
      /// ``FieldIndexing/none``.
      case disabled
      /// Queries have registered 200 other fields of the collections with this ID.
      case tooMany
    }

    /// The index, which has a single field.
    public let index: CompositeIndex
    /// Why it is missing.
    public let state: State
  }

  /// The index that is read: `documents by their id`, `values of rating` or `elements of tags` for the index
  /// of a field, the name of a composite index, several indexes that are intersected
  /// (`values of a ∩ values of b`), or several for the alternatives of a condition
  /// (`union of 3: values of a`).
  public let index: String
  /// The indexes that are read for the alternatives of the query, without duplicates.
  public let indexes: [String]
  /// The indexes of single fields that are missing, sorted by name. While it isn't empty, the query reads
  /// more documents than necessary, with the same result.
  public let missingIndexes: [MissingIndex]
  /// The number of collections in the query's range that contain documents, or once did.
  public let collections: Int
  /// Whether all entries are read in the query's order, so that reading stops at the limit.
  public let isOrdered: Bool
  /// The number of index entries read, or of documents if these are read by their ID.
  public let entriesRead: Int
  /// The number of documents in the result.
  public let results: Int

  init(
    index: String, indexes: [String]? = nil, missingIndexes: [MissingIndex] = [], collections: Int,
    isOrdered: Bool, entriesRead: Int, results: Int
  ) {
    self.index = index
    self.indexes = indexes ?? [index]
    self.missingIndexes = missingIndexes
    self.collections = collections
    self.isOrdered = isOrdered
    self.entriesRead = entriesRead
    self.results = results
  }

  /// The explanation on one line: the index, or `scan` with what is missing, and the numbers.
  public var description: String {
    let cost = "\(entriesRead) entries read for \(results) results"
    guard !missingIndexes.isEmpty else { return "\(index); \(cost)" }
    let isBuilding = missingIndexes.contains { if case .building = $0.state { true } else { false } }
    let missing = missingIndexes.map { missing in
      let name = missing.index.fieldIndexName
      return switch missing.state {
      case .unregistered: name
      case .building(let progress):
        "\(name) (\(progress.completedUnitCount) of \(progress.totalUnitCount ?? 0) documents)"
      case .disabled: "\(name) (disabled by the settings)"
      case .tooMany: "\(name) (too many fields are indexed)"
      }
    }
    let what = index == "documents by their id" ? "scan" : "\(index) and scan"
    return
      "\(what), \(isBuilding ? "index being built" : "no index"): \(missing.joined(separator: ", ")); \(cost)"
  }
}

extension CompositeIndex {
  /// The name of the index of a single field, as in ``QueryExplanation/index``.
  fileprivate var fieldIndexName: String {
    guard let field = fields.first else { return name }
    return FieldIndexKey(collectionID, field.path, field.kind == .contains ? .element : .value).name
  }
}
