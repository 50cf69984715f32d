import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop

// The representation of values, documents, queries and errors in spec files.

extension FirestoreJSON {
  /// The value that plain JSON represents in a document.
  var plainValue: Value {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let values): .array(values.map(\.plainValue))
    case .object: .map(plainFields)
    }
  }

  /// The fields that a JSON object represents; empty for other values.
  var plainFields: Fields {
    guard case .object(let members) = self else { return Fields() }
    return Fields(unsorted: members.map { .init(name: $0.string, value: $1.plainValue) })
  }

  /// The integers of an array.
  var numbers: [Int] { array.compactMap { $0.integer.map(Int.init) } }

  /// The timestamp for a number of microseconds.
  var version: Timestamp { Timestamp(microsecondsSince1970: integer ?? 0) }

  /// Returns the document path in a string.
  ///
  /// - Throws: ``SpecError`` if this is no string; `DocumentError` if the path is invalid.
  func path() throws -> ResourcePath {
    guard let text = string else { throw SpecError("A key is missing.") }
    return try ResourcePath(document: text)
  }

  /// The error with the gRPC code in the member `code`.
  var remoteError: StoreRemoteError {
    let codes: [StoreRemoteError.Code] = [
      .init(rawValue: "ok"), .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound,
      .alreadyExists,
      .permissionDenied, .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented,
      .internal,
      .unavailable, .dataLoss, .unauthenticated,
    ]
    let number = Int(self["code"]?.integer ?? 2)
    return StoreRemoteError(
      codes.indices.contains(number) ? codes[number] : .unknown,
      self["message"]?.string ?? "as the script says")
  }

  /// Returns the query or the document that a listener is for.
  ///
  /// - Throws: ``SpecError`` if a filter or an order has an unknown form; `DocumentError` if the query is
  ///   invalid.
  func viewQuery() throws -> ListenQuery {
    let segments = (self["path"]?.string ?? "").split(separator: "/").map(String.init)
    let group = self["collectionGroup"]?.string
    if group == nil, segments.count.isMultiple(of: 2) { return ListenQuery(ResourcePath(segments: segments)) }
    var structure =
      group.map {
        StructuredQuery(parent: ResourcePath(segments: segments), collectionID: $0, allDescendants: true)
      }
      ?? StructuredQuery(
        parent: ResourcePath(segments: segments.dropLast()), collectionID: segments.last ?? "")
    let filters = try (self["filters"]?.array ?? []).map { filter in
      guard filter.array.count == 3, let field = filter.array[0].string, let name = filter.array[1].string,
        let comparison = Self.comparisons[name]
      else { throw SpecError("A filter isn't understood.") }
      return QueryFilter.field(try FieldPath(dotted: field), comparison, filter.array[2].plainValue)
    }
    if !filters.isEmpty { structure.filter = filters.count == 1 ? filters[0] : .and(filters) }
    structure.orders = try (self["orderBys"]?.array ?? []).map { order in
      guard order.array.count == 2, let field = order.array[0].string else {
        throw SpecError("An order isn't understood.")
      }
      return QueryOrder(field: try FieldPath(dotted: field), isDescending: order.array[1].string == "desc")
    }
    structure.limit = self["limit"]?.integer.map(Int.init)
    return ListenQuery(
      try RunnableQuery(structure, isLimitedToLast: self["limitType"]?.string == "LimitToLast"))
  }

  /// The comparison operators by their names in spec files.
  private static let comparisons: [String: QueryComparison] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "array-contains": .arrayContains, "array-contains-any": .arrayContainsAny,
    "in": .in, "not-in": .notIn,
  ]
}

/// A change of a document in an event, in a form in which observed and expected changes can be compared.
struct SpecDocument: Hashable, CustomStringConvertible {
  /// The kind of the change: `added`, `removed`, `modified` or `metadata`.
  let kind: String
  let key: String
  /// The update time in microseconds.
  let version: Int64
  let fields: Fields?
  let hasLocalMutations: Bool
  let hasCommittedMutations: Bool

  /// Creates an expected change.
  init(_ kind: String, _ json: FirestoreJSON) {
    self.kind = kind
    key = json["key"]?.string ?? ""
    version = json["version"]?.integer ?? 0
    fields = json["value"].map(\.plainFields)
    hasLocalMutations = json["options"]?["hasLocalMutations"]?.boolean ?? false
    hasCommittedMutations = json["options"]?["hasCommittedMutations"]?.boolean ?? false
  }

  /// Creates an observed change.
  init(_ change: ViewSnapshot.Change) {
    kind =
      switch change.kind {
      case .removed: "removed"
      case .added: "added"
      case .modified: "modified"
      case .metadata: "metadata"
      }
    key = change.document.path.text
    version = change.document.updateTime.microsecondsSince1970
    fields = change.document.fields
    hasLocalMutations = change.document.hasLocalMutations
    hasCommittedMutations = change.document.hasCommittedMutations
  }

  var description: String {
    let marks = (hasLocalMutations ? "local" : "") + (hasCommittedMutations ? "committed" : "")
    return "\(kind) \(key)@\(version)\(marks) \(fields.map { "\($0)" } ?? "nil")"
  }
}

/// An event that a listener received or is expected to receive.
struct SpecEvent: Hashable, CustomStringConvertible {
  let query: ListenQuery
  /// The code of the error that ended the listener; `nil` for a snapshot.
  var error: String?
  var isFromCache = false
  var hasPendingWrites = false
  /// The changes of documents. Their order isn't compared.
  var documents: Set<SpecDocument> = []

  /// Creates an observed error.
  init(_ query: ListenQuery, error: any Error) {
    self.query = query
    self.error = (StoreError.wrapping(error) as? StoreError)?.code.rawValue ?? "\(error)"
  }

  /// Creates an observed snapshot.
  init(_ snapshot: ViewSnapshot) {
    query = snapshot.query
    isFromCache = snapshot.isFromCache
    hasPendingWrites = snapshot.hasPendingWrites
    documents = Set(snapshot.changes.values.map(SpecDocument.init))
  }

  /// Creates an expected event.
  init(_ json: FirestoreJSON) throws {
    guard let query = json["query"] else { throw SpecError("An expected event has no query.") }
    self.query = try query.viewQuery()
    if let code = json["errorCode"]?.integer, code != 0 {
      error = FirestoreJSON.object([UTF8Text("code"): .integer(code)]).remoteError.code.rawValue
      return
    }
    isFromCache = json["fromCache"]?.boolean ?? false
    hasPendingWrites = json["hasPendingWrites"]?.boolean ?? false
    for kind in ["added", "removed", "modified", "metadata"] {
      for document in json[kind]?.array ?? [] { documents.insert(SpecDocument(kind, document)) }
    }
  }

  var description: String {
    let name = query.target.document?.text ?? query.order?.query.collectionID ?? ""
    if let error { return "[\(name): \(error)]" }
    let marks = (isFromCache ? " fromCache" : "") + (hasPendingWrites ? " pending" : "")
    return "[\(name)\(marks) \(documents.map(\.description).sorted().joined(separator: ", "))]"
  }
}
