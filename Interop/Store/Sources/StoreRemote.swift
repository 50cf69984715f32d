#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where Store's documents come from and go to when they are shared: the seam between Store and whatever syncs it.
///
/// The shapes follow `google.firestore.v1` (Listen, Write, Commit, BatchGetDocuments, RunQuery, RunAggregationQuery).
/// The contract, for implementers:
/// - ``write(_:token:in:)`` and ``commit(_:in:)`` apply all writes of a batch or none, and answer after they
///   are durable. A batch whose id was applied before isn't applied again: its first answer is repeated. A remote whose
///   protocol can't tell leaves the id aside.
/// - ``listen(_:in:)`` sends what a target holds, then ``TargetChange/Kind/current``, and from then on every change.
///   A ``TargetChange`` for no target in particular that has a `readTime` marks a moment at which all targets agree; what
///   was sent before it belongs to that moment. A target that is listened to with a token gets only what changed since.
/// - What is asked has the credentials of the user for whom it is asked, and of nobody else: when another one is signed in by
///   now, it is refused as ``StoreRemoteError/Code/unauthenticated``. A stream keeps the credentials with which it began; who
///   uses it ends it when the user changes.
/// - When the requests or batches end, the stream ends too, once what was sent has been answered.
/// - What is refused or can't be had is thrown as ``StoreRemoteError``, or as `CancellationError` when the calling task
///   was cancelled.
public protocol StoreRemote: Sendable {
  /// Watches targets. The listening ends when the consumer ends the stream, or with an error.
  ///
  /// - Parameters:
  ///   - requests: what to watch from now on, and what no longer.
  ///   - context: of which database, and for whom.
  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error>

  /// Applies batches in their order, each atomically. The stream begins with ``WriteEvent/opened(token:)``; then each batch
  /// is answered by ``WriteEvent/committed(_:token:)``. A batch that is refused ends the stream with the reason.
  ///
  /// - Parameters:
  ///   - batches: what to apply; a further one may be sent before the one before is answered.
  ///   - token: the last token of an earlier stream.
  ///   - context: of which database, and for whom.
  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error>

  /// Applies one batch, as transactions do.
  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit

  /// The present state of documents, in any order.
  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument]

  /// The documents of a query now, in its order.
  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument]

  /// Computes over the documents of a query, one value per aggregation.
  func aggregate(_ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext)
    async throws
    -> [Value]
}

/// Of which database something is asked of a ``StoreRemote``, and for whom.
public struct RemoteContext: Sendable, Hashable {
  /// The database's id, `(default)` for the default one.
  public var database: String
  /// The id of the user who is signed in; `nil` when nobody is.
  public var user: String?

  /// Creates a context; of the default database and for nobody unless it is said otherwise.
  public init(database: String = "(default)", user: String? = nil) {
    self.database = database
    self.user = user
  }
}

/// A document as a remote knows it.
public struct RemoteDocument: Sendable {
  /// The document's path.
  public var path: ResourcePath
  /// The content; `nil` when there is no such document.
  public var fields: Fields?
  /// When the document was created; `nil` when that isn't known.
  public var createTime: Timestamp?
  /// When the document was last changed, or was seen to be missing.
  public var updateTime: Timestamp

  /// Creates a document.
  public init(path: ResourcePath, fields: Fields?, createTime: Timestamp? = nil, updateTime: Timestamp) {
    self.path = path
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }
}
