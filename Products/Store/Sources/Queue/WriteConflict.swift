public import TenonFoundation
public import TenonStoreEngine
public import TenonValues

/// A write that the remote rejected because others had changed a document first.
///
/// Only conditional writes have conflicts: those with `if: .updated(…)`, creations, and the writes of
/// transactions. Others are merged by the remote, and the last one wins.
public struct WriteConflict: Sendable, Identifiable {
  /// A document of the rejected write.
  public struct Document: Sendable {
    /// The reference to the document.
    public let reference: DocumentReference
    /// The fields as this device showed them when the write was made; `nil` if the document didn't exist.
    public let base: Fields?
    /// The fields after the rejected write; `nil` if it deleted the document.
    public let mine: Fields?
    /// The present document: the remote's if it can be reached, and with later pending writes of this device.
    public let theirs: DocumentSnapshot
  }

  /// The rejected write.
  public let rejected: RejectedWrite
  /// The documents to which it wrote conditionally, in the order of their first writes. What a transaction
  /// has only read isn't included.
  public let documents: [Document]

  /// The ID of the rejected write.
  public var id: UUID { rejected.id }
}
