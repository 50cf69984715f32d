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
  /// What is computed from the values there are, after the operation and in this order.
  public var transforms: [FieldTransform]
  /// What must hold, or else nothing of the commit is applied.
  public var precondition: WritePrecondition?

  /// Creates a change, without transforms and precondition by default.
  public init(
    _ document: ResourcePath, _ operation: Operation, transforms: [FieldTransform] = [],
    precondition: WritePrecondition? = nil
  ) {
    self.document = document
    self.operation = operation
    self.transforms = transforms
    self.precondition = precondition
  }
}

/// A field's new value as it follows from its old one (`google.firestore.v1.DocumentTransform.FieldTransform`).
public struct FieldTransform: Sendable {
  /// How the value follows.
  public enum Kind: Sendable {
    /// The moment of the commit, to the millisecond; the same for all fields of a commit.
    case serverTimestamp
    /// The old number plus this one. Integers stop at the ends of their range; what is no number counts as 0.
    case increment(Value)
    /// The smaller of the old number and this one; this one where there is no number.
    case minimum(Value)
    /// The greater of the old number and this one; this one where there is no number.
    case maximum(Value)
    /// The old array with those of these values appended that it doesn't hold.
    case union([Value])
    /// The old array without these values.
    case remove([Value])
  }

  /// The field.
  public var field: FieldPath
  /// How its value follows.
  public var kind: Kind

  /// Creates a transform.
  public init(_ field: FieldPath, _ kind: Kind) {
    self.field = field
    self.kind = kind
  }
}

/// What must hold before a document is changed (`google.firestore.v1.Precondition`).
public enum WritePrecondition: Sendable, Hashable {
  /// The document exists, or doesn't.
  case exists(Bool)
  /// The document was last changed at this moment.
  case updated(Timestamp)
}
