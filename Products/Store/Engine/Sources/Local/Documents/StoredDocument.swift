import TenonFoundation
package import TenonValues

/// A document as users see it: the last state that the remote sent, with the pending writes of this device
/// applied. In a local-only database it is the document itself, none of whose properties are pending.
package struct StoredDocument: Sendable {
  /// The path of the document.
  package let path: ResourcePath
  /// The fields, with estimates for server timestamps that aren't known yet.
  package var fields: Fields
  /// The time of creation; 0 if the remote hasn't sent the document.
  package var createTime: Timestamp
  /// The time of the last change at the remote; 0 if the remote doesn't know this state of the document.
  package var updateTime: Timestamp
  /// Whether pending writes of this device have changed the document.
  package var hasLocalMutations = false
  /// Whether the remote has acknowledged writes of this device, but hasn't sent the document since.
  package var hasCommittedMutations = false
  /// Whether pending writes have changed single fields of a document that the remote hasn't sent, so that
  /// others may be missing here, and increments have been added to 0.
  package var isPartial = false
  /// The fields whose server timestamps aren't known yet; their values are estimates.
  package var pendingTimestamps: [PendingTimestamp] = []
}

extension StoredDocument {
  /// The bit of ``flags`` for ``hasLocalMutations``. The bits are part of the file format.
  private static let localFlag: Int64 = 1
  /// The bit of ``flags`` for ``hasCommittedMutations``.
  private static let committedFlag: Int64 = 2
  /// The bit of ``flags`` for ``isPartial``.
  private static let partialFlag: Int64 = 4

  /// Creates a document from its fields and the other stored columns.
  ///
  /// - Parameters:
  ///   - path: the document's path.
  ///   - fields: the fields.
  ///   - created: the time of creation, in microseconds since 1970.
  ///   - updated: the time of the last change, in microseconds since 1970.
  ///   - flags: the stored ``flags``; bits that this version doesn't know are ignored.
  ///   - timestamps: the encoded pending server timestamps; `nil` if there are none.
  /// - Throws: `DocumentError` with the code `damaged` if the timestamps can't be decoded.
  init(
    path: ResourcePath, fields: Fields, created: Int64, updated: Int64, flags: Int64, timestamps: Data?
  ) throws(DocumentError) {
    self.init(
      path: path, fields: fields, createTime: Timestamp(microsecondsSince1970: created),
      updateTime: Timestamp(microsecondsSince1970: updated), hasLocalMutations: Self.hasLocalMutations(flags),
      hasCommittedMutations: Self.hasCommittedMutations(flags), isPartial: Self.isPartial(flags),
      pendingTimestamps: try timestamps.map(WriteCoding.timestamps) ?? [])
  }

  /// Returns whether stored ``flags`` indicate that pending writes have changed the document.
  static func hasLocalMutations(_ flags: Int64) -> Bool { flags & localFlag != 0 }

  /// Returns whether stored ``flags`` indicate that the remote has acknowledged writes, but hasn't sent the
  /// document since.
  static func hasCommittedMutations(_ flags: Int64) -> Bool { flags & committedFlag != 0 }

  /// Returns whether stored ``flags`` indicate a state that the remote hasn't sent.
  package static func isPending(_ flags: Int64) -> Bool { flags & (localFlag | committedFlag) != 0 }

  /// Returns whether stored ``flags`` indicate a document of which this device may not know all fields.
  package static func isPartial(_ flags: Int64) -> Bool { flags & partialFlag != 0 }

  /// The pending states of the document, as they are stored.
  package var flags: Int64 {
    (hasLocalMutations ? Self.localFlag : 0) | (hasCommittedMutations ? Self.committedFlag : 0)
      | (isPartial ? Self.partialFlag : 0)
  }
}

extension StoreError {
  /// Returns the error for a document that can't be decoded.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - file: the path of the database file; `nil` for a database in memory.
  ///   - error: the error of decoding it.
  /// - Returns: an error with ``StoreError/Code/dataLoss``, which names the file and the document.
  static func damaged(_ document: ResourcePath, in file: String?, _ error: DocumentError) -> StoreError {
    .damaged(file, "the document \(document.text) can't be read", underlying: error)
  }
}

/// A field that a write sets to the time of its commit, which isn't known yet.
package struct PendingTimestamp: Sendable {
  /// The path of the field.
  package let field: FieldPath
  /// The field's value before the write; `nil` if it didn't exist.
  package let previous: Value?

  package init(field: FieldPath, previous: Value?) { (self.field, self.previous) = (field, previous) }
}

/// The last state of a document that the remote sent or acknowledged. Overlays are computed from it.
package struct BaseDocument: Sendable {
  /// What the remote sent.
  enum Content: Sendable {
    /// The document exists and has these fields.
    case found(Fields)
    /// The document doesn't exist.
    case missing
    /// The document exists because of an acknowledged write, but not all of its fields are known.
    case unknown
  }

  /// Whether the document exists, and its fields.
  var content: Content
  /// The time of creation; 0 if it isn't known.
  package var createTime: Timestamp
  /// The time of the last change at the remote, or for a missing document a time at which it didn't exist.
  /// Versions of one document increase; a state with an older version is outdated.
  var version: Timestamp
  /// Whether this is the result of an acknowledged write of this device that the remote hasn't sent since.
  var isCommitted: Bool

  /// Returns the state of a document that doesn't exist at a version.
  static func missing(at version: Timestamp) -> BaseDocument {
    BaseDocument(content: .missing, createTime: .zero, version: version, isCommitted: false)
  }
}

extension Timestamp {
  /// The Unix epoch, which means "never" or "unknown".
  package static let zero = Timestamp(seconds: 0)
}
