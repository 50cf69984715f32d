#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where Store's documents come from and go to when they are shared: the seam between Store and whatever syncs it.
///
/// The shapes follow `google.firestore.v1` (Listen, Write, Commit, BatchGetDocuments, RunQuery, RunAggregationQuery).
/// The contract, for implementers:
/// - ``write(_:token:database:)`` and ``commit(_:database:)`` apply all writes of a batch or none, and answer after they
///   are durable. A batch whose id was applied before isn't applied again: its first answer is repeated. A remote whose
///   protocol can't tell leaves the id aside.
/// - ``listen(_:database:)`` sends what a target holds, then ``TargetChange/Kind/current``, and from then on every change.
///   A ``TargetChange`` for no target in particular that has a `readTime` marks a moment at which all targets agree; what
///   was sent before it belongs to that moment. A target that is listened to with a token gets only what changed since.
/// - A stream has the credentials of whoever is signed in when it is opened, which a remote that needs them has got before it
///   sends the first event: who uses the stream looks then whether that still is the user whose writes it would send.
/// - When the requests or batches end, the stream ends too, once what was sent has been answered.
/// - What is refused or can't be had is thrown as ``StoreRemoteError``, or as `CancellationError` when the calling task
///   was cancelled.
public protocol StoreRemote: Sendable {
  /// Watches targets. The listening ends when the consumer ends the stream, or with an error.
  ///
  /// - Parameters:
  ///   - requests: what to watch from now on, and what no longer.
  ///   - database: the database's id, `(default)` for the default one.
  func listen(
    _ requests: AsyncStream<ListenRequest>, database: String
  ) -> AsyncThrowingStream<ListenEvent, any Error>

  /// Applies batches in their order, each atomically. The stream begins with ``WriteEvent/opened(token:)``; then each batch
  /// is answered by ``WriteEvent/committed(_:token:)``. A batch that is refused ends the stream with the reason.
  ///
  /// - Parameters:
  ///   - batches: what to apply; a further one may be sent before the one before is answered.
  ///   - token: the last token of an earlier stream.
  ///   - database: the database's id.
  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, database: String
  ) -> AsyncThrowingStream<WriteEvent, any Error>

  /// Applies one batch, as transactions do.
  func commit(_ batch: RemoteBatch, database: String) async throws -> RemoteCommit

  /// The present state of documents, in any order.
  func fetch(_ documents: [ResourcePath], database: String) async throws -> [RemoteDocument]

  /// The documents of a query now, in its order.
  func run(_ query: StructuredQuery, database: String) async throws -> [RemoteDocument]

  /// Computes over the documents of a query, one value per aggregation.
  func aggregate(_ query: StructuredQuery, _ aggregations: [QueryAggregation], database: String) async throws
    -> [Value]
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
