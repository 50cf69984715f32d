/// A query over the documents of a collection (`google.firestore.v1.StructuredQuery`).
///
/// The public members are those that Store uses; a server of documents also knows projections, offsets, vector
/// searches, and queries over all collections, whose collection ID is empty. A value isn't checked when it is created: `ResolvedQuery` of `TenonDocuments` checks it against Firestore's rules
/// and adds the implicit orders, and a remote rejects an invalid query with
/// ``StoreRemoteError/Code/invalidArgument``.
///
/// Queries are equal if all their members are identical, the order of conditions included.
public struct StructuredQuery: Sendable, Hashable {
  /// The parent document of the collection; without segments, the root of the database.
  public var parent: ResourcePath
  /// The collection's ID.
  public var collectionID: String
  /// Whether the query covers every collection of that ID below the parent, at any depth.
  public var allDescendants: Bool
  /// The condition on documents; `nil` for all documents. A document without the compared field never
  /// satisfies a comparison.
  public var filter: QueryFilter?
  /// The explicit sort keys of the result, the most significant first. Documents without one of the fields
  /// don't belong to the result.
  public var orders: [QueryOrder]
  /// The start of the result; `nil` for its first document.
  public var start: QueryCursor?
  /// The end of the result; `nil` for its last document.
  public var end: QueryCursor?
  /// The maximum number of documents, at least 1; `nil` for all. A query for the last documents of an order
  /// is expressed by reversed orders and exchanged cursors.
  public var limit: Int?

  // What only servers of documents know.

  /// The fields that the documents of the result have (`select`); `nil` for all. `__name__` is no field, so it
  /// alone selects none.
  package var selection: [FieldPath]?
  /// The number of documents at the beginning of the result that are left out, before the limit is applied.
  package var offset = 0
  /// The search for vectors, which decides about the order of the result and its length; `nil` for none.
  package var nearest: VectorSearch?

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

/// A condition on documents (`google.firestore.v1.StructuredQuery.Filter`). After distributing `and` over
/// `or`, it has at most 30 alternatives, of which each value of `in` and `arrayContainsAny` is one.
public indirect enum QueryFilter: Sendable, Hashable {
  /// A comparison of a field with a value. A comparison of `equal` or `notEqual` with null or NaN is a
  /// `UnaryFilter` in the protocol. The value for `__name__` is a reference; Store also accepts IDs and
  /// converts them.
  case field(FieldPath, QueryComparison, Value)
  /// All conditions hold. Without conditions, all documents match.
  case and([QueryFilter])
  /// At least one condition holds. Without conditions, the query is invalid.
  case or([QueryFilter])
}

/// A comparison operator (`StructuredQuery.FieldFilter.Operator`).
public struct QueryComparison: RawRepresentable, Sendable, Hashable {
  /// The operator's name on the wire.
  public let rawValue: String

  /// Creates an operator that this version doesn't know. `TenonDocuments` rejects queries that use it.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The field equals the value in the total order of values: 1 equals 1.0, and NaN equals NaN.
  public static let equal = QueryComparison(rawValue: "EQUAL")
  /// The field exists, isn't null, and doesn't equal the value.
  public static let notEqual = QueryComparison(rawValue: "NOT_EQUAL")
  /// The field is less than the value and has the same type.
  public static let lessThan = QueryComparison(rawValue: "LESS_THAN")
  /// The field is less than or equal to the value and has the same type.
  public static let lessThanOrEqual = QueryComparison(rawValue: "LESS_THAN_OR_EQUAL")
  /// The field is greater than the value and has the same type.
  public static let greaterThan = QueryComparison(rawValue: "GREATER_THAN")
  /// The field is greater than or equal to the value and has the same type.
  public static let greaterThanOrEqual = QueryComparison(rawValue: "GREATER_THAN_OR_EQUAL")
  /// The field is an array that contains the value.
  public static let arrayContains = QueryComparison(rawValue: "ARRAY_CONTAINS")
  /// The field is an array that contains at least one of the values in the operand, an array of 1 to 30
  /// values.
  public static let arrayContainsAny = QueryComparison(rawValue: "ARRAY_CONTAINS_ANY")
  /// The field equals one of the values in the operand, an array of 1 to 30 values. Null and NaN among them
  /// match nothing.
  public static let `in` = QueryComparison(rawValue: "IN")
  /// The field exists, isn't null, and equals none of the values in the operand, an array of 1 to 10 values.
  /// If null is among them, nothing matches.
  public static let notIn = QueryComparison(rawValue: "NOT_IN")
}

/// A sort key of a query.
public struct QueryOrder: Sendable, Hashable {
  /// The field; `__name__` is the document's path.
  public var field: FieldPath
  /// Whether the order is descending.
  public var isDescending: Bool

  /// Creates a sort key, ascending by default.
  public init(field: FieldPath, isDescending: Bool = false) {
    self.field = field
    self.isDescending = isDescending
  }
}

/// A position in an ordered result (`google.firestore.v1.Cursor`).
///
/// In the protocol, a start is inclusive if `before` is true, and an end if it is false.
public struct QueryCursor: Sendable, Hashable {
  /// The values of the first sort keys of the query, at most as many as it has explicit orders. They may be
  /// of other types than the fields. The value for `__name__` is a reference, as in a comparison.
  public var values: [Value]
  /// Whether documents with exactly these values belong to the result.
  public var isInclusive: Bool

  /// Creates a cursor.
  public init(values: [Value], isInclusive: Bool) {
    self.values = values
    self.isInclusive = isInclusive
  }
}

/// An aggregation over the documents of a query
/// (`google.firestore.v1.StructuredAggregationQuery.Aggregation`).
///
/// Of several aggregations in one request, each covers only the documents that have every aggregated field.
public enum QueryAggregation: Sendable, Hashable {
  /// The number of documents.
  case count
  /// The sum of the field's numbers, 0 if there are none; an integer if all numbers are integers and the sum
  /// fits into 64 bits, otherwise a double. Values of other types are ignored.
  case sum(FieldPath)
  /// The average of the field's numbers as a double; null if there are none. Values of other types are
  /// ignored.
  case average(FieldPath)
}

extension StructuredQuery: CustomStringConvertible {
  /// The query on one line, for example `notes where rating > 3 order by rating desc limit 10`.
  public var description: String {
    var parts = [
      allDescendants
        ? "group \(collectionID)" + (parent.segments.isEmpty ? "" : " below \(parent)")
        : ResourcePath(segments: parent.segments + [collectionID]).description
    ]
    if let filter { parts.append("where \(filter)") }
    if !orders.isEmpty { parts.append("order by " + orders.map(\.description).joined(separator: ", ")) }
    if let start { parts.append("start \(start.isInclusive ? "at" : "after") \(Value.array(start.values))") }
    if let end { parts.append("end \(end.isInclusive ? "at" : "before") \(Value.array(end.values))") }
    if let limit { parts.append("limit \(limit)") }
    return parts.joined(separator: " ")
  }
}

extension QueryFilter: CustomStringConvertible {
  /// The condition on one line, for example `(rating > 3 and tags array-contains "hot")`.
  public var description: String {
    switch self {
    case .field(let field, let comparison, let value): "\(field) \(comparison) \(value)"
    case .and(let filters): "(" + filters.map(\.description).joined(separator: " and ") + ")"
    case .or(let filters): "(" + filters.map(\.description).joined(separator: " or ") + ")"
    }
  }
}

extension QueryComparison: CustomStringConvertible {
  /// The operator, for example `>=` or `array-contains`.
  public var description: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    default: rawValue.lowercased().replacing("_", with: "-")
    }
  }
}

extension QueryOrder: CustomStringConvertible {
  /// The field and the direction, for example `rating desc`.
  public var description: String { "\(field)" + (isDescending ? " desc" : "") }
}
