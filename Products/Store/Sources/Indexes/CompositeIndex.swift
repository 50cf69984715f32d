import TenonDocuments
public import TenonStoreInterop

/// An index over several fields, which serves queries with equalities on some and an order or inequality on others.
///
/// ```swift
/// StoreSettings(indexes: [CompositeIndex("notes", .ascending("author"), .descending("created"))])
/// ```
///
/// Every field has an index of its own without a declaration. A declared index adds a cost to each write of a document in its
/// collections, and makes the cost of a page of such a query independent of the number of documents. It has the documents that
/// have all of its fields.
public struct CompositeIndex: Sendable, Hashable {
  /// Which queries an index serves.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Those over one collection of the id.
    case collection = "COLLECTION"
    /// Those over the collection group of the id.
    case collectionGroup = "COLLECTION_GROUP"
  }

  /// A field of an index.
  public struct Field: Sendable, Hashable {
    /// The order of a field's values in an index.
    public enum Kind: Sendable, Hashable {
      /// Lesser values first.
      case ascending
      /// Greater values first.
      case descending
      /// Each element of an array by itself, for conditions with `.arrayContains`.
      case contains
    }

    /// The field, with dots into maps.
    public let path: FieldPath
    /// The order of its values.
    public let kind: Kind

    /// A field whose lesser values come first.
    public static func ascending(_ path: FieldPath) -> Field { Field(path: path, kind: .ascending) }
    /// A field whose greater values come first.
    public static func descending(_ path: FieldPath) -> Field { Field(path: path, kind: .descending) }
    /// An array whose elements are searched; an index has one at most.
    public static func contains(_ path: FieldPath) -> Field { Field(path: path, kind: .contains) }
  }

  /// The id of the collections whose documents are in the index.
  public let collectionID: String
  /// Which queries it serves.
  public let scope: Scope
  /// Its fields in their order. The document id may be last; otherwise it is added with the last direction.
  public let fields: [Field]

  /// An index over fields of the documents in collections of an id.
  public init(_ collectionID: String, scope: Scope = .collection, _ fields: Field...) {
    self.init(collectionID, scope: scope, fields: fields)
  }

  /// An index over fields of the documents in collections of an id.
  public init(_ collectionID: String, scope: Scope = .collection, fields: [Field]) {
    self.collectionID = collectionID
    self.scope = scope
    self.fields = fields
  }

  /// A description, such as `notes(author ascending, created descending)`.
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

  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the index isn't valid.
  func check() throws(StoreError) {
    func refuse(_ reason: String) -> StoreError {
      StoreError(.invalidArgument, "The index \(name) can't be built: \(reason).")
    }
    guard !collectionID.isEmpty, !collectionID.contains("/") else {
      throw refuse("it takes the id of a collection, which isn't empty and has no slash")
    }
    guard columns.count <= 100, !columns.isEmpty else { throw refuse("it takes 1 to 100 fields") }
    guard Set(fields.map(\.path)).count == fields.count else { throw refuse("a field stands in it twice") }
    guard fields.filter({ $0.kind == .contains }).count <= 1 else { throw refuse("it has several arrays") }
    for (position, field) in fields.enumerated() {
      do { try field.path.check() } catch { throw refuse(error.message) }
      guard field.path == .documentID() else { continue }
      guard position == fields.count - 1, field.kind != .contains else {
        throw refuse("the document id can only stand last, and isn't an array")
      }
    }
  }

  /// Returns whether a collection's documents are in the index. Ids are compared by their bytes.
  func concerns(_ collection: ResourcePath) -> Bool { collection.id.utf8.elementsEqual(collectionID.utf8) }

  /// The fields without the document id.
  var columns: [Field] { fields.filter { $0.path != .documentID() } }

  /// Whether documents with equal values are sorted by descending id.
  var isKeyDescending: Bool { fields.last?.kind == .descending }
}
