import Foundation
import TenonDocuments
import TenonStoreInterop

/// A document as users see it: what the remote last sent, with the pending writes of this device applied.
package struct StoredDocument: Sendable {
  package let path: ResourcePath
  package var fields: Fields
  /// 0 if the remote hasn't sent it.
  var createTime: Timestamp
  /// When the document was last changed at the remote; 0 for one that the remote doesn't know.
  package var updateTime: Timestamp
  /// Whether pending writes of this device have changed it.
  package var hasLocalMutations = false
  /// Whether the remote has acknowledged writes of this device, but hasn't sent the document since.
  package var hasCommittedMutations = false
  /// The fields whose timestamps the remote will set; until then they hold an estimate.
  var pendingTimestamps: [PendingTimestamp] = []
}

extension StoredDocument {
  private static let localFlag: Int64 = 1
  private static let committedFlag: Int64 = 2

  /// Decodes a document as it is stored.
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

  /// Returns whether stored ``flags`` say that the remote hasn't sent what users see.
  static func isPending(_ flags: Int64) -> Bool { flags & (localFlag | committedFlag) != 0 }

  /// The state of the document as it is stored beside its content.
  var flags: Int64 {
    (hasLocalMutations ? Self.localFlag : 0) | (hasCommittedMutations ? Self.committedFlag : 0)
  }
}

extension StoreError {
  /// The error for a document whose bytes can't be decoded.
  static func damaged(_ document: ResourcePath, in file: String?, _ error: DocumentError) -> StoreError {
    .damaged(file, "the document \(document.text) can't be read", underlying: error)
  }
}

/// A field that a write set to the time of its commit, which isn't known yet.
struct PendingTimestamp: Sendable {
  let field: FieldPath
  /// The value of the field before.
  let previous: Value?
}

/// A document as the remote last sent it.
package struct BaseDocument: Sendable {
  enum Content: Sendable {
    case found(Fields)
    case missing
    /// It exists since an acknowledged write, but its other fields aren't known here.
    case unknown
  }

  var content: Content
  var createTime: Timestamp
  var version: Timestamp
  /// Whether this is the result of an acknowledged write of this device, which the remote hasn't sent since.
  var isCommitted: Bool

  static func missing(at version: Timestamp) -> BaseDocument {
    BaseDocument(content: .missing, createTime: .zero, version: version, isCommitted: false)
  }
}

extension Timestamp {
  /// The beginning of 1970, which stands for "never".
  package static let zero = Timestamp(seconds: 0)
}
