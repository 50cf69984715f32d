import TenonFoundation
import TenonValues

/// The records of applied batches: documents in ``StoreSyncSettings/recordsCollection`` that are named after
/// the batches.
enum WriteRecords {
  /// The field with the time of the commit.
  static let timeField: FieldPath = "time"
  /// The number of records that await their deletion at most. The stream then ends, and the next one deletes
  /// them.
  static let most = 100

  /// Returns the path of a batch's record.
  static func path(of batch: UUID) -> ResourcePath {
    ResourcePath(segments: [StoreSyncSettings.recordsCollection, batch.uuidString.lowercased()])
  }

  /// Returns the write that creates a record, unless it exists.
  static func creation(of record: ResourcePath) -> DocumentWrite {
    DocumentWrite(
      record, .set(Fields()), transforms: [FieldTransform(timeField, .serverTimestamp)],
      precondition: .exists(false))
  }
}

/// The records of a write stream that await their deletion, as a stream token.
///
/// Store saves a token together with the response to a batch. When a stream is opened with a token, the
/// responses of all batches in it have been saved, so their records are needed no more.
struct RecordToken: Equatable {
  /// The batches, the oldest first.
  var batches: [UUID]

  /// The beginning of the tokens of this version.
  private static let mark = "tenon-records-1:"

  /// Creates a token, by default without batches.
  init(batches: [UUID] = []) { self.batches = batches }

  /// Decodes a token.
  ///
  /// - Returns: a token without batches for `nil` and for tokens of other remotes.
  init(_ bytes: Data?) {
    self.init()
    guard let bytes, let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(Self.mark) else {
      return
    }
    let ids = text.dropFirst(Self.mark.count).split(separator: ",").map { UUID(uuidString: String($0)) }
    guard ids.count <= 2 * WriteRecords.most, !ids.contains(nil) else { return }
    batches = ids.compactMap(\.self)
  }

  /// The encoded token.
  var bytes: Data { Data((Self.mark + batches.map(\.uuidString).joined(separator: ",")).utf8) }
}
