import TenonDocuments
public import TenonStoreInterop

/// A change of one document of the embedded backend, for ``EmbeddedDocuments/commit(_:)``.
public struct EmbeddedWrite: Sendable, Hashable {
  /// The path of the document.
  let path: String
  /// How the document changes.
  let operation: DocumentWrite.Operation
  /// The condition under which the commit is applied; `nil` for none.
  let precondition: WritePrecondition?

  /// Creates a document, or replaces all of its fields.
  ///
  /// - Parameters:
  ///   - path: the path of the document, for example `rooms/den`.
  ///   - fields: the fields.
  public static func set(_ path: String, _ fields: Fields) -> EmbeddedWrite {
    EmbeddedWrite(path: path, operation: .set(fields), precondition: nil)
  }

  /// Sets fields of a document, and keeps its others. If the document doesn't exist, nothing of the commit is
  /// applied.
  ///
  /// - Parameters:
  ///   - path: the path of the document.
  ///   - fields: the fields to set. A map replaces the whole field.
  public static func update(_ path: String, _ fields: Fields) -> EmbeddedWrite {
    let mask = fields.entries.map { FieldPath([$0.name]) }
    return EmbeddedWrite(path: path, operation: .update(fields, mask: mask), precondition: .exists(true))
  }

  /// Deletes a document if it exists. Documents in its subcollections aren't deleted.
  ///
  /// - Parameter path: the path of the document.
  public static func delete(_ path: String) -> EmbeddedWrite {
    EmbeddedWrite(path: path, operation: .delete, precondition: nil)
  }

  /// The write of the document.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if the path isn't that of a document.
  var documentWrite: DocumentWrite {
    get throws(StoreRemoteError) {
      DocumentWrite(try EmbeddedDocuments.document(path), operation, precondition: precondition)
    }
  }
}
