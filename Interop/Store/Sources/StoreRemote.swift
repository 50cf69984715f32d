#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The remote database with which Store synchronizes its documents.
///
/// The operations follow those of `google.firestore.v1` (Listen, Write, Commit, BatchGetDocuments, RunQuery,
/// RunAggregationQuery). Requirements for implementations:
/// - ``write(_:token:in:)`` and ``commit(_:in:)`` apply all writes of a batch or none, and respond after they
///   are durable. A batch whose ID was applied before isn't applied again; its first response is repeated. A
///   remote whose protocol has no batch IDs ignores the ID.
/// - ``listen(_:in:)`` sends the documents of a target, then ``TargetChange/Kind/current``, and then every
///   change. A ``TargetChange`` without targets that has a `readTime` marks a consistent snapshot of all
///   targets, to which everything sent before it belongs. For a target that is resumed with a token, only
///   later changes are sent.
/// - Each request carries the credentials of the user in its context, and of no other user: if another user
///   has signed in, the request fails with ``StoreRemoteError/Code/unauthenticated``. A stream keeps the
///   credentials with which it was opened; its caller closes it when the user changes.
/// - If the context is that of an administrator, the request carries an administrator's credentials,
///   regardless of who is signed in, and security rules don't apply. It is never sent without them.
/// - When the requests or batches end, the stream ends as soon as everything sent has been answered.
/// - Failures are thrown as ``StoreRemoteError``, or as `CancellationError` if the calling task was
///   cancelled.
public protocol StoreRemote: Sendable {
  /// The number of batches that Store sends on the stream of ``write(_:token:in:)`` before the first of them
  /// has been answered: 10 in Firestore's clients. Values outside 1 to 1,000 count as the nearer limit.
  ///
  /// A remote that applies batches that wait together can take more. Beyond ten, Store sends a batch only
  /// while those without an answer have less than 4 MiB.
  var pipelineDepth: Int { get }

  /// Listens to targets until the consumer ends the stream, or an error occurs.
  ///
  /// - Parameters:
  ///   - requests: the targets to add and to remove.
  ///   - context: the database and the user.
  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error>

  /// Applies batches in order, each atomically. The stream begins with ``WriteEvent/opened(token:)``,
  /// followed by one ``WriteEvent/committed(_:token:)`` per batch. A batch that is rejected ends the stream
  /// with its error.
  ///
  /// Batches may be applied together in one commit. Their answers then have one time, and follow each other
  /// immediately; see ``RemoteCommit/isFollowed``.
  ///
  /// - Parameters:
  ///   - batches: the batches. The next one may be sent before the previous one has been answered.
  ///   - token: the last token of an earlier stream.
  ///   - context: the database and the user.
  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error>

  /// Applies one batch atomically.
  ///
  /// - Parameters:
  ///   - batch: the writes, which are applied in their order. Each sees the results of those before it.
  ///   - context: the database and the user.
  /// - Returns: the commit time, which is later than that of every earlier commit of the database, and one
  ///   result per write.
  /// - Throws: ``StoreRemoteError``: `notFound`, `alreadyExists` or `failedPrecondition` if a precondition
  ///   doesn't hold, and `invalidArgument` if a write breaks a rule. Nothing has been applied then. After an
  ///   error of the connection, whether the batch was applied is unknown.
  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit

  /// Returns the current state of documents, in any order.
  ///
  /// - Parameters:
  ///   - documents: the paths of the documents.
  ///   - context: the database and the user.
  /// - Returns: one state per document. That of a document that doesn't exist has no fields.
  /// - Throws: ``StoreRemoteError``, or `CancellationError`.
  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument]

  /// Returns the current result of a query, in its order and within its limit. Every document of the result
  /// exists.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - context: the database and the user.
  /// - Throws: ``StoreRemoteError`` with `invalidArgument` if the query is invalid, or another code;
  ///   `CancellationError`.
  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument]

  /// Returns the results of aggregations over a query, one value per aggregation, in their order.
  ///
  /// - Parameters:
  ///   - query: the query, whose limit is taken into account.
  ///   - aggregations: what to compute; see ``QueryAggregation``.
  ///   - context: the database and the user.
  /// - Throws: ``StoreRemoteError`` with `invalidArgument` if the query is invalid, or another code;
  ///   `CancellationError`.
  func aggregate(_ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext)
    async throws
    -> [Value]
}

/// The database and the user of a request to a ``StoreRemote``.
public struct RemoteContext: Sendable, Hashable {
  /// The ID of the database, by default `(default)`.
  public var database: String
  /// The ID of the signed-in user; `nil` if no user is signed in, and for administrators.
  public var user: String?
  /// Whether the request is that of an administrator.
  public var isAdministrator: Bool

  /// Creates a context, by default of the default database and without a user.
  public init(database: String = "(default)", user: String? = nil, isAdministrator: Bool = false) {
    self.database = database
    self.user = user
    self.isAdministrator = isAdministrator
  }
}

/// The state of a document at a remote.
public struct RemoteDocument: Sendable, Hashable {
  /// The document's path.
  public var path: ResourcePath
  /// The fields; `nil` if the document doesn't exist.
  public var fields: Fields?
  /// The time at which the document was created; `nil` if it isn't known.
  public var createTime: Timestamp?
  /// The time at which the document was last updated, or was found not to exist.
  public var updateTime: Timestamp

  /// Creates a document state.
  public init(path: ResourcePath, fields: Fields?, createTime: Timestamp? = nil, updateTime: Timestamp) {
    self.path = path
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }
}
