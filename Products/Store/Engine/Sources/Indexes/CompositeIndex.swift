import TenonDocuments
public import TenonValues

/// An index over several fields. It serves queries with equality conditions on some of them and an order or
/// inequality on others.
///
/// ```swift
/// StoreSettings(indexes: [CompositeIndex("notes", .ascending("author"), .descending("created"))])
/// ```
///
/// Single fields are indexed automatically when queries need it; see ``FieldIndexing``. A composite index is
/// never created automatically; ``Store/requiredIndexes`` recommends some. It adds a cost to each write of a
/// document in its collections; in return, the cost of a page of such a query doesn't depend on the number of
/// documents. The index contains the documents that have all of its fields.
///
/// A query can use an index if its first fields are those with `isEqualTo` and `arrayContains` conditions, in
/// any order, and the query is ordered by all others; a field with an inequality is one of the orders. If the
/// directions of the orders are those of the index, or all reversed, reading stops at the limit.
/// ``QuerySource/explain()`` returns which index a query uses. No query requires an index: without one, the
/// result is the same, but more documents may be read.
///
/// An index is declared for a database on this device, with ``StoreSettings/indexes``; it isn't sent to the
/// remote.
public struct CompositeIndex: Sendable, Hashable {
  /// The queries that an index serves.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Queries over one collection with the ID.
    case collection = "COLLECTION"
    /// Queries over the collection group with the ID.
    case collectionGroup = "COLLECTION_GROUP"
  }

  /// A field of an index.
  public struct Field: Sendable, Hashable {
    /// The order of a field's values in an index.
    public enum Kind: Sendable, Hashable {
      /// Smaller values first.
      case ascending
      /// Greater values first.
      case descending
      /// Each element of an array separately, for `arrayContains` conditions.
      case contains
    }

    /// The path of the field; dots separate the names of nested maps.
    public let path: FieldPath
    /// The order of its values.
    public let kind: Kind

    /// Returns a field with smaller values first.
    ///
    /// - Parameter path: the path of the field; dots in a literal separate the names of nested maps.
    public static func ascending(_ path: FieldPath) -> Field { Field(path: path, kind: .ascending) }
    /// Returns a field with greater values first.
    ///
    /// - Parameter path: the path of the field; dots in a literal separate the names of nested maps.
    public static func descending(_ path: FieldPath) -> Field { Field(path: path, kind: .descending) }
    /// Returns an array field whose elements are indexed. An index has at most one. Each distinct element of
    /// a document's array is an entry of the index.
    ///
    /// - Parameter path: the path of the field; dots in a literal separate the names of nested maps.
    public static func contains(_ path: FieldPath) -> Field { Field(path: path, kind: .contains) }
  }

  /// The ID of the collections whose documents are in the index.
  public let collectionID: String
  /// The queries that the index serves.
  public let scope: Scope
  /// The fields, in order. The document ID may be the last one; otherwise it is appended with the direction
  /// of the last field.
  public let fields: [Field]

  /// Creates an index over fields of the documents in the collections with an ID.
  ///
  /// - Parameters:
  ///   - collectionID: the ID of the collections.
  ///   - scope: the queries that the index serves; those over one collection, by default.
  ///   - fields: 1 to 100 fields, in order.
  public init(_ collectionID: String, scope: Scope = .collection, _ fields: Field...) {
    self.init(collectionID, scope: scope, fields: fields)
  }

  /// Creates an index over fields of the documents in the collections with an ID.
  ///
  /// - Parameters:
  ///   - collectionID: the ID of the collections.
  ///   - scope: the queries that the index serves; those over one collection, by default.
  ///   - fields: 1 to 100 fields, in order.
  public init(_ collectionID: String, scope: Scope = .collection, fields: [Field]) {
    self.collectionID = collectionID
    self.scope = scope
    self.fields = fields
  }

  /// A readable name, for example `notes(author ascending, created descending)`.
  public var name: String {
    let names = fields.map { field in
      switch field.kind {
      case .ascending: "\(field.path.text) ascending"
      case .descending: "\(field.path.text) descending"
      case .contains: "elements of \(field.path.text)"
      }
    }
    return (scope == .collection ? "" : "group ") + "\(collectionID)(\(names.joined(separator: ", ")))"
  }

  /// Validates the index. An index has a collection ID, 1 to 100 fields other than the document ID, none of
  /// them twice, at most one array field, and the document ID only at the end.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the index is invalid; the message
  ///   names the index and the rule.
  package func check() throws(StoreError) {
    func refuse(_ reason: String) -> StoreError {
      StoreError(.invalidArgument, "The index \(name) can't be built: \(reason).")
    }
    guard !collectionID.isEmpty, !collectionID.utf8.contains(UInt8(ascii: "/")) else {
      throw refuse("it needs a collection ID, which must not be empty or contain a slash")
    }
    guard columns.count <= 100, !columns.isEmpty else { throw refuse("it must have 1 to 100 fields") }
    guard Set(fields.map(\.path)).count == fields.count else { throw refuse("it contains a field twice") }
    guard fields.filter({ $0.kind == .contains }).count <= 1 else {
      throw refuse("it contains several array fields")
    }
    for (position, field) in fields.enumerated() {
      do { try field.path.check() } catch { throw refuse(error.message) }
      guard field.path == .documentID() else { continue }
      guard position == fields.count - 1, field.kind != .contains else {
        throw refuse("the document ID must be the last field, and can't be an array field")
      }
    }
  }

  /// Returns whether the index contains the documents of a collection. IDs are compared as UTF-8 bytes.
  package func concerns(_ collection: ResourcePath) -> Bool {
    collection.id.utf8.elementsEqual(collectionID.utf8)
  }

  /// The fields without the document ID.
  var columns: [Field] { fields.filter { $0.path != .documentID() } }

  /// Whether documents with equal values are ordered by descending ID: the direction of the last field,
  /// whether or not that is the ID.
  var isKeyDescending: Bool { fields.last?.kind == .descending }
}
