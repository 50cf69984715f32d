import Foundation
import TenonDocuments
import TenonStoreInterop

/// A document as users see it: what the remote last said, with the writes of this device that it hasn't confirmed.
package struct StoredDocument: Sendable {
  package let path: ResourcePath
  package var fields: Fields
  /// 0 where the remote hasn't told.
  var createTime: Timestamp
  /// When the document was last changed, as the remote has it; 0 for one that it doesn't know.
  package var updateTime: Timestamp
  /// Whether writes of this device, which the remote hasn't confirmed, have changed it.
  package var hasLocalMutations = false
  /// Whether the remote has confirmed writes of this device, but hasn't sent the document since.
  package var hasCommittedMutations = false
  /// The fields whose moment the remote will tell; until then they hold an estimate.
  var pendingTimestamps: [PendingTimestamp] = []
}

extension StoredDocument {
  private static let localFlag: Int64 = 1
  private static let committedFlag: Int64 = 2

  /// A document as it is kept.
  ///
  /// - Parameter file: the database's file, for errors.
  /// - Throws: ``StoreError`` with ``StoreError/Code/dataLoss``.
  init(
    at path: ResourcePath, fields: Span<UInt8>, created: Int64, updated: Int64, flags: Int64,
    timestamps: Data?, file: String?
  ) throws(StoreError) {
    do throws(DocumentError) {
      self.init(
        path: path, fields: try DocumentCoding.decode(fields),
        createTime: Timestamp(microsecondsSince1970: created),
        updateTime: Timestamp(microsecondsSince1970: updated),
        hasLocalMutations: flags & Self.localFlag != 0,
        hasCommittedMutations: flags & Self.committedFlag != 0)
      if let timestamps { pendingTimestamps = try WriteCoding.timestamps(timestamps) }
    } catch {
      throw .damaged(path, in: file, error)
    }
  }

  /// Whether kept ``flags`` say that the remote hasn't told what users see.
  static func isPending(_ flags: Int64) -> Bool { flags & (localFlag | committedFlag) != 0 }

  /// What is kept of a document's state beside its content.
  var flags: Int64 {
    (hasLocalMutations ? Self.localFlag : 0) | (hasCommittedMutations ? Self.committedFlag : 0)
  }
}

extension StoreError {
  /// A document whose bytes make no sense.
  static func damaged(_ document: ResourcePath, in file: String?, _ error: DocumentError) -> StoreError {
    .damaged(file, "the document \(document.text) can't be read", underlying: error)
  }
}

/// A field that a write set to the moment of its commit, which isn't known yet.
struct PendingTimestamp: Sendable {
  let field: FieldPath
  /// What the field held before.
  let previous: Value?
}

/// What the remote last said of a document.
struct BaseDocument: Sendable {
  enum Content: Sendable {
    case found(Fields)
    case missing
    /// It exists since a write that was confirmed, but what else it holds isn't known here.
    case unknown
  }

  var content: Content
  var createTime: Timestamp
  var version: Timestamp
  /// Whether this is the result of a confirmed write of this device, which the remote hasn't sent back since.
  var isCommitted: Bool

  static func missing(at version: Timestamp) -> BaseDocument {
    BaseDocument(content: .missing, createTime: .zero, version: version, isCommitted: false)
  }
}

extension Timestamp {
  /// The beginning of 1970, which stands for "never".
  package static let zero = Timestamp(seconds: 0)
}
