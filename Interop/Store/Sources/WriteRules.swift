/// Rules by which a device decides about its own writes before it queues them for the server, which decides
/// by the same rules. `SecurityRules` of TenonRules is one.
///
/// Requirements for implementations:
/// - The verdict is ``WriteVerdict/denied(reason:)`` or ``WriteVerdict/allowed`` only if it is the same
///   whatever is not known: the fields, documents and claims that the device doesn't have.
/// - The writes of a batch are one request: what is limited for a request, such as the documents that rules
///   may read, is limited for all of them together.
/// - The verdicts are found on the calling thread, without waiting, and in bounded time.
public protocol WriteRules: Sendable {
  /// The text of the rules, by which two are compared.
  var source: String { get }

  /// Returns what the rules say of the writes of a batch.
  ///
  /// - Parameters:
  ///   - batch: the writes, in their order. Each is one attempt, or several if it isn't known which of them
  ///     the server will see: it then has the verdict that all of them have.
  ///   - document: returns what this device knows of a document, before the writes of the batch or, if the
  ///     second parameter is `true`, after all of them. Called during the call only.
  /// - Returns: a verdict for each write.
  /// - Throws: what `document` throws.
  func verdicts(
    on batch: [[WriteAttempt]],
    reading document: (ResourcePath, _ isAfterWrites: Bool) throws -> CachedDocument
  ) rethrows -> [WriteVerdict]
}

/// A write that a device is about to queue.
public struct WriteAttempt: Sendable, Hashable {
  /// What a write does to a document.
  public enum Method: String, Sendable, Hashable {
    /// Creates it.
    case create
    /// Changes or replaces it.
    case update
    /// Deletes it.
    case delete
  }

  /// The user who makes a write.
  public struct User: Sendable, Hashable {
    /// The user's ID.
    public var uid: String
    /// The claims of the user's ID token, as far as they are known.
    public var claims: Fields
    /// Whether `claims` are all claims. Otherwise nothing is known of those that it lacks.
    public var hasAllClaims: Bool

    /// Creates a user.
    public init(uid: String, claims: Fields = [:], hasAllClaims: Bool) {
      self.uid = uid
      self.claims = claims
      self.hasAllClaims = hasAllClaims
    }
  }

  /// The user; `nil` if no user is signed in.
  public var user: User?
  /// The time of this device, which is also that of the server timestamps in ``after``.
  public var time: Timestamp
  /// The ID of the database.
  public var database: String
  /// The path of the document.
  public var path: ResourcePath
  /// What the write does.
  public var method: Method
  /// The document before the write, but after those before it in the batch.
  public var before: CachedDocument
  /// The document after the write.
  public var after: CachedDocument

  /// Creates an attempt.
  public init(
    user: User?, time: Timestamp, database: String, path: ResourcePath, method: Method,
    before: CachedDocument, after: CachedDocument
  ) {
    self.user = user
    self.time = time
    self.database = database
    self.path = path
    self.method = method
    self.before = before
    self.after = after
  }
}

/// What a device knows of a document.
public enum CachedDocument: Sendable, Hashable {
  /// It exists and has these fields.
  case exists(Fields)
  /// It exists and has these fields, but may have others, too.
  case partial(Fields)
  /// It doesn't exist.
  case missing
  /// The device doesn't have it, and doesn't know whether it exists.
  case unknown
}

/// What rules say of a write on a device.
public enum WriteVerdict: Sendable, Hashable {
  /// The server would allow the write.
  case allowed
  /// The server would reject the write. The reason is a text with the place in the rules.
  case denied(reason: String)
  /// It depends on what this device doesn't know.
  case unknown
}
