public import TenonValues

/// Which fields have their own index on this device.
public enum FieldIndexing: Sendable, Hashable, CaseIterable {
  /// Those that queries need. A query that has to read more than 100 documents because a field has no index
  /// registers it; it is then built in the background, and used as soon as it is complete. An index that no
  /// query has used for 30 days is deleted when the database is opened or another index is registered. At
  /// most 200 fields of the collections with one ID are indexed in this way.
  case onFirstQuery
  /// Every field, and every element of every array. Each write costs several times as much.
  case everyField
  /// None, apart from those that ``StoreSettings/fieldOverrides`` declares. Queries on other fields read the
  /// whole collection, unless a composite index serves them.
  case none
}

/// The setting of a single field, which takes precedence over ``StoreSettings/fieldIndexing``.
///
/// ```swift
/// StoreSettings(fieldOverrides: [
///   FieldOverride("notes", "created"),
///   FieldOverride("notes", "body", .exempt),
/// ])
/// ```
///
/// It corresponds to an element of `fieldOverrides` in `firestore.indexes.json`; see ``overrides(inFile:)``.
public struct FieldOverride: Sendable, Hashable {
  /// What is indexed of a field. An empty set exempts it.
  public struct Indexes: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The values, for conditions, orders and aggregations.
    public static let values = Indexes(rawValue: 1)
    /// The elements of arrays, for `arrayContains` and `arrayContainsAny`.
    public static let elements = Indexes(rawValue: 2)
    /// Nothing: queries that need the field read the whole collection, whatever the settings.
    public static let exempt: Indexes = []
  }

  /// The ID of the collections.
  public let collectionID: String
  /// The field.
  public let field: FieldPath
  /// What is indexed, from the first use of the database on.
  public let indexes: Indexes

  /// Creates the setting of a field.
  ///
  /// - Parameters:
  ///   - collectionID: the ID of the collections.
  ///   - field: the path of the field; dots in a literal separate the names of nested maps.
  ///   - indexes: what is indexed; its values by default. What isn't in the set has no index.
  public init(_ collectionID: String, _ field: FieldPath, _ indexes: Indexes = .values) {
    self.collectionID = collectionID
    self.field = field
    self.indexes = indexes
  }

  /// Validates the setting.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the collection ID or the field is
  ///   invalid, or the field is the document ID, whose index can't be changed.
  package func check() throws(StoreError) {
    try CompositeIndex(collectionID, .ascending(field)).check()
  }
}
