import Foundation
import TenonDocuments
import TenonStoreInterop

/// What a target watches. Two that watch the same are equal.
package struct SyncTarget: Hashable, Sendable {
  enum Content: Sendable {
    case document(ResourcePath)
    case query(ResolvedQuery)
  }

  let content: Content
  /// The same for what is the same; kept across restarts.
  let canonical: Data

  static func document(_ path: ResourcePath) -> SyncTarget {
    SyncTarget(content: .document(path), canonical: DocumentCoding.encode(["document": .reference(path)]))
  }

  static func query(_ query: ResolvedQuery) -> SyncTarget {
    SyncTarget(content: .query(query), canonical: DocumentCoding.encode(query.canonical))
  }

  /// As it is asked of the remote.
  package var listenContent: ListenTarget.Content {
    switch content {
    case .document(let path): .documents([path])
    case .query(let query): .query(query.completed)
    }
  }

  /// The document that is watched, if it is a single one.
  package var document: ResourcePath? { if case .document(let path) = content { path } else { nil } }

  package static func == (left: SyncTarget, right: SyncTarget) -> Bool { left.canonical == right.canonical }

  package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// What is known of a target.
package struct TargetData: Sendable {
  let id: Int
  let target: SyncTarget
  /// From where the remote continues it; empty when it begins anew.
  var token = Data()
  /// As of when the documents that belong to it are known.
  var version = Timestamp.zero
  /// As of when its result was last complete: without documents of which nobody knew whether they belong to it.
  var completeVersion = Timestamp.zero
  /// When it was last used, in transactions.
  var sequence: Int64 = 0
  var purpose = ListenTarget.Purpose.listen

  package init(id: Int, target: SyncTarget) {
    self.id = id
    self.target = target
  }

  package func asked(expecting count: Int?) -> ListenTarget {
    let resumption: ListenTarget.Resumption? =
      !token.isEmpty ? .token(token) : version != .zero ? .readTime(version) : nil
    return ListenTarget(
      id: id, content: target.listenContent, resumption: resumption,
      expectedCount: resumption == nil ? nil : count, purpose: purpose)
  }
}

extension ResolvedQuery {
  /// The query with its implicit orders, as a remote is asked.
  var completed: StructuredQuery {
    var completed = query
    completed.orders = orders
    return completed
  }

  /// What makes the query this one.
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
