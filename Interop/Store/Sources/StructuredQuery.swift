/// A query as it travels between Store and whatever answers it (`google.firestore.v1.StructuredQuery`).
public struct StructuredQuery: Sendable {
  /// The document below which the collection lies; the root when it has no segments.
  public var parent: ResourcePath
  /// The collection's id.
  public var collectionID: String
  /// Whether every collection of that id below the parent is meant, at any depth.
  public var allDescendants: Bool
  /// What documents must satisfy; all do when `nil`.
  public var filter: QueryFilter?
  /// The order of the result, before the implicit orders are added.
  public var orders: [QueryOrder]
  /// Where the result begins; at its first document when `nil`.
  public var start: QueryCursor?
  /// Where the result ends; at its last document when `nil`.
  public var end: QueryCursor?
  /// How many documents at most; all when `nil`.
  public var limit: Int?

  /// Creates a query over a collection.
  public init(
    parent: ResourcePath,
    collectionID: String,
    allDescendants: Bool = false,
    filter: QueryFilter? = nil,
    orders: [QueryOrder] = [],
    start: QueryCursor? = nil,
    end: QueryCursor? = nil,
    limit: Int? = nil
  ) {
    self.parent = parent
    self.collectionID = collectionID
    self.allDescendants = allDescendants
    self.filter = filter
    self.orders = orders
    self.start = start
    self.end = end
    self.limit = limit
  }
}

/// A condition on documents.
public indirect enum QueryFilter: Sendable {
  /// One field compared with a value.
  case field(FieldPath, QueryComparison, Value)
  /// Every condition holds.
  case and([QueryFilter])
  /// At least one condition holds.
  case or([QueryFilter])
}

/// How a field is compared (`StructuredQuery.FieldFilter.Operator`).
public struct QueryComparison: RawRepresentable, Sendable, Hashable {
  /// The operator's name on the wire.
  public let rawValue: String

  /// Creates an operator that this version does not know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The field equals the value.
  public static let equal = QueryComparison(rawValue: "EQUAL")
  /// The field is there, is not null, and doesn't equal the value.
  public static let notEqual = QueryComparison(rawValue: "NOT_EQUAL")
  /// The field is less than the value, and of the same type.
  public static let lessThan = QueryComparison(rawValue: "LESS_THAN")
  /// The field is less than the value or equal, and of the same type.
  public static let lessThanOrEqual = QueryComparison(rawValue: "LESS_THAN_OR_EQUAL")
  /// The field is greater than the value, and of the same type.
  public static let greaterThan = QueryComparison(rawValue: "GREATER_THAN")
  /// The field is greater than the value or equal, and of the same type.
  public static let greaterThanOrEqual = QueryComparison(rawValue: "GREATER_THAN_OR_EQUAL")
  /// The field is an array that holds the value.
  public static let arrayContains = QueryComparison(rawValue: "ARRAY_CONTAINS")
  /// The field is an array that holds one of the values in the array.
  public static let arrayContainsAny = QueryComparison(rawValue: "ARRAY_CONTAINS_ANY")
  /// The field equals one of the values in the array.
  public static let `in` = QueryComparison(rawValue: "IN")
  /// The field is there, is not null, and equals none of the values in the array.
  public static let notIn = QueryComparison(rawValue: "NOT_IN")
}

/// One key by which a result is ordered.
public struct QueryOrder: Sendable {
  /// The field; `__name__` stands for the document's path.
  public var field: FieldPath
  /// Whether greater values come first.
  public var isDescending: Bool

  /// Creates an order, ascending by default.
  public init(field: FieldPath, isDescending: Bool = false) {
    self.field = field
    self.isDescending = isDescending
  }
}

/// A place in an ordered result.
public struct QueryCursor: Sendable {
  /// Values for the first orders of the query.
  public var values: [Value]
  /// Whether documents that have exactly these values belong to the result.
  public var isInclusive: Bool

  /// Creates a cursor.
  public init(values: [Value], isInclusive: Bool) {
    self.values = values
    self.isInclusive = isInclusive
  }
}

/// Something computed over the documents of a query (`StructuredAggregationQuery.Aggregation`).
public enum QueryAggregation: Sendable {
  /// How many documents there are.
  case count
  /// The sum of a field's numbers.
  case sum(FieldPath)
  /// The mean of a field's numbers; null where there are none.
  case average(FieldPath)
}
