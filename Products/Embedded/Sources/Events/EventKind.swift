/// The type of an event, as in CloudEvents of Google (https://github.com/googleapis/google-cloudevents). The
/// raw values are part of the stored format.
enum EventKind: String, Sendable, Codable {
  case documentCreated = "google.cloud.firestore.document.v1.created"
  case documentUpdated = "google.cloud.firestore.document.v1.updated"
  case documentDeleted = "google.cloud.firestore.document.v1.deleted"
  /// A document was created, updated or deleted. Only functions have this type.
  case documentWritten = "google.cloud.firestore.document.v1.written"
  case objectFinalized = "google.cloud.storage.object.v1.finalized"
  case objectDeleted = "google.cloud.storage.object.v1.deleted"
  case objectArchived = "google.cloud.storage.object.v1.archived"
  case objectMetadataUpdated = "google.cloud.storage.object.v1.metadataUpdated"
  case userCreated = "google.firebase.auth.user.v1.created"
  case userDeleted = "google.firebase.auth.user.v1.deleted"
  /// The time of a scheduled function has come.
  case scheduled = "google.cloud.scheduler.job.v1.executed"

  /// The database in which events are recorded, which is that of the writes they belong to.
  enum Source: Sendable, Hashable {
    /// ``DocumentDatabase``.
    case documents
    /// ``EmbeddedDatabase``: users, objects and schedules.
    case others
  }

  /// The database in which events of this type are recorded.
  var source: Source {
    switch self {
    case .documentCreated, .documentUpdated, .documentDeleted, .documentWritten: .documents
    default: .others
    }
  }

  /// Returns whether a function for this type receives an event of another type.
  func includes(_ event: EventKind) -> Bool {
    self == event || (self == .documentWritten && event.source == .documents)
  }
}
