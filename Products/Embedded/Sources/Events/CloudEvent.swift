public import TenonValues

/// An event that a function receives, as `CloudEvent` of Cloud Functions.
///
/// An event is delivered at least once: again if the function throws, and if the process ended before it
/// returned. Its ``id`` is the same each time.
public struct CloudEvent<Data: Sendable>: Sendable {
  /// The ID of the event.
  public let id: String
  /// The type, for example `google.cloud.firestore.document.v1.created`.
  public let type: String
  /// What it happened to: the path of the document, the name of the object, or the ID of the user.
  public let subject: String
  /// When it happened: the time of the write.
  public let time: Timestamp
  /// The values of the wildcards in the path of the function, by their names; empty for other events.
  public let params: [String: String]
  /// The number of the attempt, beginning with 1.
  public let attempt: Int
  /// What happened.
  public let data: Data

  /// Creates the event for a stored one.
  init(_ event: StoredEvent, params: [String: String] = [:], data: Data) {
    id = event.details.id
    type = event.details.kind.rawValue
    subject = event.details.subject
    time = Timestamp(microsecondsSince1970: event.details.time)
    self.params = params
    attempt = event.attempts
    self.data = data
  }
}

/// A state before and after a write, as `Change` of Cloud Functions.
public struct Change<State: Sendable>: Sendable {
  /// The state before the write.
  public let before: State
  /// The state after the write.
  public let after: State
}

/// The call of a scheduled function.
public struct ScheduledEvent: Sendable, Hashable {
  /// The name of the function.
  public let jobName: String
  /// The time of the schedule. The function may be called later.
  public let scheduleTime: Timestamp
  /// The number of the attempt, beginning with 1.
  public let attempt: Int
}

/// A user in an event of ``Embedded/onUserCreated(_:retry:timeout:_:)``.
public struct EmbeddedUser: Sendable, Hashable, Codable {
  /// The user's ID.
  public let uid: String
  /// The email address; `nil` if there is none.
  public let email: String?
  /// Whether the user proved to have the address.
  public let isEmailVerified: Bool
  /// The name; `nil` if there is none.
  public let displayName: String?
  /// The phone number; `nil` if there is none.
  public let phoneNumber: String?
  /// The tenant of the user; `nil` for users of the project itself.
  public let tenantID: String?
  /// Whether the user can't sign in.
  public let isDisabled: Bool
  /// The IDs of the providers with which the user can sign in, for example `password`. Empty for an anonymous
  /// user.
  public let providerIDs: [String]

  /// Creates a value for an account.
  init(_ account: Account) {
    uid = account.localId
    email = account.email
    isEmailVerified = account.emailVerified
    displayName = account.displayName
    phoneNumber = account.phoneNumber
    tenantID = account.tenantId
    isDisabled = account.disabled
    providerIDs = account.providers.map(\.providerId)
  }
}

/// An object in an event of ``Embedded/onObjectFinalized(_:bucket:retry:timeout:_:)``.
public struct EmbeddedObject: Sendable, Hashable {
  /// The bucket.
  public let bucket: String
  /// The name of the object, for example `photos/ada.png`.
  public let name: String
  /// The number of the content, which increases with each new content of the name.
  public let generation: Int64
  /// The number of changes to the metadata of this generation, beginning with 1.
  public let metageneration: Int64
  /// The size in bytes.
  public let size: Int64
  /// The media type; `nil` if there is none.
  public let contentType: String?
  /// The MD5 digest of the content, in base64.
  public let md5Hash: String
  /// The custom metadata.
  public let customMetadata: [String: String]

  /// Creates a value for an object.
  init(_ record: ObjectRecord) {
    bucket = record.bucket
    name = record.name
    generation = record.generation
    metageneration = record.metageneration
    size = record.size
    contentType = record.metadata.contentType
    md5Hash = record.md5Hash
    customMetadata = record.metadata.custom ?? [:]
  }
}
