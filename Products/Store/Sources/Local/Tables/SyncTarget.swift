import Foundation
import TenonDocuments
import TenonStoreInterop

/// A document or a query to which the remote listens.
package struct SyncTarget: Hashable, Sendable {
  enum Content: Sendable {
    case document(ResourcePath)
    case query(ResolvedQuery)
  }

  let content: Content
  /// Equal for equal targets, also across restarts.
  let canonical: Data

  static func document(_ path: ResourcePath) -> SyncTarget {
    SyncTarget(content: .document(path), canonical: DocumentCoding.encode(["document": .reference(path)]))
  }

  static func query(_ query: ResolvedQuery) -> SyncTarget {
    SyncTarget(content: .query(query), canonical: DocumentCoding.encode(query.canonical))
  }

  /// The target as the remote is asked for it.
  package var listenContent: ListenTarget.Content {
    switch content {
    case .document(let path): .documents([path])
    case .query(let query): .query(query.completed)
    }
  }

  /// The document, if the target is a single one.
  package var document: ResourcePath? { if case .document(let path) = content { path } else { nil } }

  package static func == (left: SyncTarget, right: SyncTarget) -> Bool { left.canonical == right.canonical }

  package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// The state of a target.
package struct TargetData: Sendable {
  let id: Int
  let target: SyncTarget
  /// The resume token, with which the remote continues the target; empty if it starts over.
  var token = Data()
  /// The timestamp of the consistent snapshot as of which its documents are known.
  var version = Timestamp.zero
  /// The timestamp of its last complete result: one without limbo documents.
  var completeVersion = Timestamp.zero
  /// The number of the transaction in which it was last used.
  var sequence: Int64 = 0
  var purpose = ListenTarget.Purpose.listen

  package init(id: Int, target: SyncTarget) {
    self.id = id
    self.target = target
  }

  /// Returns the request for the target.
  ///
  /// - Parameter count: the number of documents that are known to belong to it.
  package func request(expecting count: Int?) -> ListenTarget {
    let resumption: ListenTarget.Resumption? =
      !token.isEmpty ? .token(token) : version != .zero ? .readTime(version) : nil
    return ListenTarget(
      id: id, content: target.listenContent, resumption: resumption,
      expectedCount: resumption == nil ? nil : count, purpose: purpose)
  }
}

extension ResolvedQuery {
  /// The query with its implicit orders, as the remote is asked for it.
  var completed: StructuredQuery {
    var completed = query
    completed.orders = orders
    return completed
  }

  /// The query's canonical form, by which targets are compared.
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
  fileprivate var canonical: Value { .array(segments.map(Value.string)) }
}

extension QueryFilter {
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
  fileprivate var canonical: Value { ["values": .array(values), "inclusive": .boolean(isInclusive)] }
}
