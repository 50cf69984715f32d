/// A change of one document (`google.firestore.v1.Write`).
public struct DocumentWrite: Sendable {
  /// What happens to the document.
  public enum Operation: Sendable {
    /// The document becomes these fields.
    case set(Fields)
    /// The fields of the mask become those given, or are deleted where none is given.
    case update(Fields, mask: [FieldPath])
    /// The document goes.
    case delete
  }

  /// The document.
  public var document: ResourcePath
  /// What happens to it.
  public var operation: Operation
  /// What must hold, or else nothing of the commit is applied.
  public var precondition: WritePrecondition?

  /// Creates a change, without precondition by default.
  public init(_ document: ResourcePath, _ operation: Operation, precondition: WritePrecondition? = nil) {
    self.document = document
    self.operation = operation
    self.precondition = precondition
  }
}

/// What must hold before a document is changed (`google.firestore.v1.Precondition`).
public enum WritePrecondition: Sendable, Hashable {
  /// The document exists, or doesn't.
  case exists(Bool)
  /// The document was last changed at this moment.
  case updated(Timestamp)
}
