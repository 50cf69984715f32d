/// A change of one document (`google.firestore.v1.Write`).
public struct DocumentWrite: Sendable, Hashable {
  /// How the document changes.
  public enum Operation: Sendable, Hashable {
    /// Replaces the document with these fields, or creates it.
    case set(Fields)
    /// Sets the fields named by the mask to the given values, and deletes those for which no value is given.
    /// Values outside the mask are ignored. A document that doesn't exist is created; use
    /// ``WritePrecondition/exists(_:)`` to prevent this.
    case update(Fields, mask: [FieldPath])
    /// Deletes the document. Documents of its subcollections aren't deleted. It isn't an error if the
    /// document doesn't exist.
    case delete
  }

  /// The path of the document.
  public var document: ResourcePath
  /// How the document changes.
  public var operation: Operation
  /// Transforms of the document's fields, applied after the operation in this order. A deletion has none
  /// (`google.firestore.v1.Write.update_transforms`).
  public var transforms: [FieldTransform]
  /// The condition under which the commit is applied; `nil` for none. If it doesn't hold, nothing of the
  /// commit is applied.
  public var precondition: WritePrecondition?
  /// Whether the document isn't written, and only the precondition is checked (`verify` on the wire, with which
  /// official clients commit what a transaction has only read). The operation then has no effect.
  package var isVerification = false

  /// Creates a verification of a precondition.
  package init(verifying document: ResourcePath, _ precondition: WritePrecondition) {
    self.init(document, .update(Fields(), mask: []), precondition: precondition)
    isVerification = true
  }

  /// Creates a write, by default without transforms and precondition.
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

/// A change of a field that depends on its current value or on the time of the commit
/// (`google.firestore.v1.DocumentTransform.FieldTransform`).
public struct FieldTransform: Sendable, Hashable {
  /// How the new value is computed.
  public enum Kind: Sendable, Hashable {
    /// The time of the commit in milliseconds, the same for all fields of a commit.
    case serverTimestamp
    /// Adds this number. Integers saturate at the limits of `Int64`; a field that isn't a number counts as 0.
    case increment(Value)
    /// The smaller of the current number and this one; this one if the field isn't a number.
    case minimum(Value)
    /// The larger of the current number and this one; this one if the field isn't a number.
    case maximum(Value)
    /// Appends those of these values that the array doesn't contain.
    case union([Value])
    /// Removes all occurrences of these values from the array.
    case remove([Value])
  }

  /// The field.
  public var field: FieldPath
  /// How its new value is computed.
  public var kind: Kind

  /// Creates a transform.
  public init(_ field: FieldPath, _ kind: Kind) {
    self.field = field
    self.kind = kind
  }
}

/// A condition on a document that must hold for a commit to be applied
/// (`google.firestore.v1.Precondition`).
public enum WritePrecondition: Sendable, Hashable {
  /// The document exists (`true`), or doesn't exist (`false`).
  case exists(Bool)
  /// The document was last updated at this time.
  case updated(Timestamp)
}
