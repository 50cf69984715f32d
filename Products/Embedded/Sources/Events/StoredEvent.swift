import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// An event that a function receives, as it is stored.
struct StoredEvent: Sendable {
  /// What happened, in JSON.
  struct Details: Sendable, Codable {
    /// The ID of the event, which is the same in every attempt.
    var id: String
    /// What happened.
    var kind: EventKind
    /// The time of the write or the schedule, in microseconds since 1970.
    var time: Int64
    /// What it happened to: the path of a document, the name of an object, the ID of a user, or the name of a
    /// scheduled function.
    var subject: String
    /// The database or the bucket.
    var place = ""
    /// The creation and the update time of a document before and after the write, in microseconds since 1970.
    var before: [Int64]?
    var after: [Int64]?
    /// The metadata of an object.
    var object: ObjectRecord?
    /// The user.
    var user: EmbeddedUser?
  }

  /// The number, in the order in which events were recorded.
  let number: Int64
  /// The name of the function.
  let function: String
  /// The events of a lane are handled in their order.
  let lane: String
  /// When the event was recorded.
  let recorded: Timestamp
  /// What happened.
  let details: Details
  /// The encoded fields of a document before and after the write.
  let before, after: Data?
  /// The number of attempts, with the present one.
  let attempts: Int

  /// The document before the write; `nil` if it didn't exist.
  var documentBefore: EmbeddedDocument? { get throws { try document(before, details.before) } }
  /// The document after the write; `nil` if it doesn't exist.
  var documentAfter: EmbeddedDocument? { get throws { try document(after, details.after) } }

  /// Decodes a document.
  ///
  /// - Throws: `DocumentError` with `damaged`.
  private func document(_ fields: Data?, _ times: [Int64]?) throws -> EmbeddedDocument? {
    guard let fields, let times, times.count == 2 else { return nil }
    return EmbeddedDocument(
      RemoteDocument(
        path: PresentDocuments.path(details.subject), fields: try DocumentCoding.decode(fields),
        createTime: Timestamp(microsecondsSince1970: times[0]),
        updateTime: Timestamp(microsecondsSince1970: times[1])))
  }
}
