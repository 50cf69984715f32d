import TenonDocuments
import TenonFoundation
package import TenonStoreInterop

/// A document or query that is listened to at the remote. Targets are equal if their canonical forms are.
///
/// The forms of two queries are equal if the queries have the same parts in the same order, implicit orders
/// included. Queries that are equivalent in another way, for example with conditions in a different order,
/// are different targets. A query that is limited to its last documents is represented by the reversed query
/// that is run for it; see ``RunnableQuery``.
package struct SyncTarget: Hashable, Sendable {
  /// What is listened to.
  enum Content: Sendable {
    /// A single document.
    case document(ResourcePath)
    /// The documents of a query.
    case query(ResolvedQuery)
  }

  /// The document or query.
  let content: Content
  /// The canonical form, which is equal for equal targets, and stable across launches.
  let canonical: Data

  /// Returns the target for a document.
  static func document(_ path: ResourcePath) -> SyncTarget {
    SyncTarget(content: .document(path), canonical: DocumentCoding.encode(["document": .reference(path)]))
  }

  /// Returns the target for a query.
  ///
  /// - Complexity: O(n) in the size of the query, which is encoded.
  static func query(_ query: ResolvedQuery) -> SyncTarget {
    SyncTarget(content: .query(query), canonical: DocumentCoding.encode(query.canonical))
  }

  /// The target in the form that is sent to the remote.
  package var listenContent: ListenTarget.Content {
    switch content {
    case .document(let path): .documents([path])
    case .query(let query): .query(query.completed)
    }
  }

  /// The document, if the target is a single document; `nil` if it is a query.
  package var document: ResourcePath? { if case .document(let path) = content { path } else { nil } }

  package static func == (left: SyncTarget, right: SyncTarget) -> Bool { left.canonical == right.canonical }

  package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// The state of a target: what the remote has sent for it, and how it resumes.
package struct TargetData: Sendable {
  /// The ID by which the remote identifies the target on the listen stream: positive, even for listeners, and
  /// odd for limbo lookups.
  let id: Int
  /// The document or query.
  let target: SyncTarget
  /// The resume token, with which the remote resumes the target; empty if the remote sends the whole target.
  var token = Data()
  /// The timestamp of the consistent snapshot that its documents reflect.
  var version = Timestamp.zero
  /// The timestamp of its last complete result, which is one without limbo documents.
  var completeVersion = Timestamp.zero
  /// The number of the transaction in which it was last used.
  var sequence: Int64 = 0
  /// The purpose of the request: a listener, a retry after an existence filter mismatch, or a limbo
  /// resolution.
  var purpose = ListenTarget.Purpose.listen

  /// Creates the state of a target for which the remote has sent nothing yet.
  package init(id: Int, target: SyncTarget) {
    self.id = id
    self.target = target
  }

  /// Returns the request for the target. It resumes from the token if there is one, otherwise from the
  /// version, and otherwise requests all documents.
  ///
  /// - Parameter count: the number of documents known to belong to the target, with which the remote detects
  ///   a mismatch; `nil` if it isn't known. It is sent only if the target resumes.
  package func request(expecting count: Int?) -> ListenTarget {
    let resumption: ListenTarget.Resumption? =
      !token.isEmpty ? .token(token) : version != .zero ? .readTime(version) : nil
    return ListenTarget(
      id: id, content: target.listenContent, resumption: resumption,
      expectedCount: resumption == nil ? nil : count, purpose: purpose)
  }
}

extension ResolvedQuery {
  /// The query with its implicit orders made explicit, as it is sent to the remote.
  package var completed: StructuredQuery {
    var completed = query
    completed.orders = orders
    return completed
  }

  /// The canonical form of the query, by which targets are compared. It is stored, so it must not change: a
  /// target whose form has changed would be requested from the beginning, and the old one be collected later.
  fileprivate var canonical: Fields {
    var fields: Fields = [
      "parent": .reference(query.parent), "collection": .string(query.collectionID),
      "group": .boolean(query.allDescendants),
      "orders": .array(
        orders.map { ["field": $0.field.canonical, "descending": .boolean($0.isDescending)] }),
    ]
    fields["filter"] = query.filter?.canonical
    fields["start"] = query.start?.canonical
    fields["end"] = query.end?.canonical
    fields["limit"] = query.limit.map { Value($0) }
    return fields
  }
}

extension FieldPath {
  /// The names of the path, as an array.
  fileprivate var canonical: Value { .array(segments.map(Value.string)) }
}

extension QueryFilter {
  /// A map with the only key `and` or `or`, or with the keys `field`, `is` and `value` of a condition.
  fileprivate var canonical: Value {
    switch self {
    case .field(let field, let comparison, let operand):
      ["field": field.canonical, "is": .string(comparison.rawValue), "value": operand]
    case .and(let filters): ["and": .array(filters.map(\.canonical))]
    case .or(let filters): ["or": .array(filters.map(\.canonical))]
    }
  }
}

extension QueryCursor {
  /// The cursor's values, and whether it includes the documents at its position.
  fileprivate var canonical: Value { ["values": .array(values), "inclusive": .boolean(isInclusive)] }
}
