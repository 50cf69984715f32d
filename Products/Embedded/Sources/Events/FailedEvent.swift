public import TenonValues

/// An event that a function didn't handle, and that isn't attempted any more.
public struct FailedEvent: Sendable, Hashable, Identifiable {
  /// The ID of the event; empty if its record is damaged.
  public let id: String
  /// The name of the function.
  public let function: String
  /// The type, for example `google.cloud.firestore.document.v1.created`.
  public let type: String
  /// The path of the document, the name of the object, or the ID of the user.
  public let subject: String
  /// When it happened.
  public let time: Timestamp
  /// The number of attempts.
  public let attempts: Int
  /// The error of the last attempt.
  public let error: String
}

extension FailedEvent {
  /// Creates a value for a stored event.
  init(_ event: StoredEvent, error: String) {
    self.init(
      id: event.details.id, function: event.function, type: event.details.kind.rawValue,
      subject: event.details.subject, time: Timestamp(microsecondsSince1970: event.details.time),
      attempts: event.attempts, error: error)
  }
}
