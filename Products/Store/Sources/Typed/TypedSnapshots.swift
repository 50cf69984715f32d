import TenonStoreEngine
import TenonValues

/// The state of a document at one time, decoded as a model on request.
public struct TypedDocumentSnapshot<Model: Codable & Sendable>: DocumentSnapshotConvertible, Identifiable {
  /// The snapshot without the type.
  public let untyped: DocumentSnapshot

  /// Creates a typed snapshot, for example in a test from `DocumentSnapshot(fields:path:)`.
  ///
  /// - Parameters:
  ///   - untyped: the snapshot.
  ///   - type: the type of its content.
  public init(_ untyped: some DocumentSnapshotConvertible, of type: Model.Type = Model.self) {
    self.untyped = untyped.documentSnapshot
  }

  /// The reference to the document, which identifies it also among those of several collections.
  public var id: DocumentReference { untyped.reference }
  /// The snapshot without the type.
  public var documentSnapshot: DocumentSnapshot { untyped }
  /// The document.
  public var document: TypedDocument<Model> { TypedDocument(untyped.reference) }

  /// Decodes the document. Each call decodes it again.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet; estimates, by
  ///   default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if the document doesn't exist, with
  ///   ``StoreError/Code/failedPrecondition`` if it can't be decoded. The message names the document and the
  ///   field, and the ``StoreError/underlying`` error is the `DecodingError`.
  public func data(with behavior: ServerTimestampBehavior = .estimate) throws -> Model {
    do { return try untyped.data(as: Model.self, with: behavior) } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(
        .failedPrecondition,
        "The document \(untyped.reference.path) can't be decoded as \(Model.self): \(Self.reason(error)).",
        underlying: error)
    }
  }

  /// Returns the reason of a failure, which names the field.
  private static func reason(_ error: any Error) -> String {
    func text(_ path: [any CodingKey], _ description: String) -> String {
      path.isEmpty ? description : "the field \"\(FieldPath(path.map(\.stringValue)).text)\": \(description)"
    }
    return switch error as? DecodingError {
    case .keyNotFound(let key, let context): text(context.codingPath + [key], "it doesn't exist")
    case .typeMismatch(let type, let context):
      text(context.codingPath, "\(type) is required, but \(context.debugDescription)")
    case .valueNotFound(_, let context), .dataCorrupted(let context):
      text(context.codingPath, context.debugDescription)
    default: "\(error)"
    }
  }
}

/// The documents of a query at one time, and their changes since the previous snapshot; see
/// ``QuerySnapshot``.
public struct TypedQuerySnapshot<Model: Codable & Sendable>: Sendable {
  /// The snapshot without the type.
  public let untyped: QuerySnapshot

  /// Creates a typed snapshot, for example in a test from `QuerySnapshot(documents)`.
  ///
  /// - Parameters:
  ///   - untyped: the snapshot.
  ///   - type: the type of its documents.
  public init(_ untyped: QuerySnapshot, of type: Model.Type = Model.self) { self.untyped = untyped }

  /// The relation of the snapshot to the state of the remote.
  public var metadata: SnapshotMetadata { untyped.metadata }
  /// The number of documents.
  public var count: Int { untyped.count }
  /// Whether there are no documents.
  public var isEmpty: Bool { untyped.isEmpty }
  /// The documents, in the query's order; none of them is decoded yet.
  public var documents: [TypedDocumentSnapshot<Model>] { untyped.documents.map { TypedDocumentSnapshot($0) } }
  /// The changes since the snapshot that was read before; see ``QuerySnapshot/documentChanges``.
  public var documentChanges: [TypedDocumentChange<Model>] {
    untyped.documentChanges.map {
      TypedDocumentChange(
        type: $0.type, document: TypedDocumentSnapshot($0.document), oldIndex: $0.oldIndex,
        newIndex: $0.newIndex)
    }
  }

  /// Decodes all documents, in the query's order.
  ///
  /// - Throws: ``StoreError`` for the first document that can't be decoded; see
  ///   ``TypedDocumentSnapshot/data(with:)``. To use the others, decode each of ``documents``.
  public func data(with behavior: ServerTimestampBehavior = .estimate) throws -> [Model] {
    try untyped.documents.map { try TypedDocumentSnapshot<Model>($0).data(with: behavior) }
  }
}

extension TypedQuerySnapshot: CustomStringConvertible {
  /// The number of documents and changes on one line; see ``QuerySnapshot/description``.
  public var description: String { untyped.description }
}

/// The change of one document in the result of a typed query; see ``DocumentChange``.
public struct TypedDocumentChange<Model: Codable & Sendable>: Sendable {
  /// The kind of change.
  public let type: DocumentChangeType
  /// The document; for a removal, its last state in the result.
  public let document: TypedDocumentSnapshot<Model>
  /// The document's index after the preceding changes were applied; `nil` for an addition.
  public let oldIndex: Int?
  /// The document's index after this change was applied as well; `nil` for a removal.
  public let newIndex: Int?
}
