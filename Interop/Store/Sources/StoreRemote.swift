#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where Store's documents come from and go to when they are shared: the seam between Store and whatever syncs it.
///
/// The shapes follow `google.firestore.v1` (Listen, Commit, BatchGetDocuments, RunAggregationQuery). The contract, for
/// implementers:
/// - ``commit(_:database:)`` applies all writes or none, and returns after they are durable.
/// - ``listen(to:database:)`` sends what a target holds, then ``RemoteEvent/current(target:token:)``, and from then on
///   every change; ``RemoteEvent/consistent(at:token:)`` marks the moments at which all targets agree. A target that
///   is listened to with a token gets only what changed since.
/// - What is refused or can't be had is thrown as ``StoreRemoteError``, or as `CancellationError` when the calling task
///   was cancelled.
public protocol StoreRemote: Sendable {
  /// Watches targets. The listening ends when the consumer ends the stream, or with an error.
  ///
  /// - Parameters:
  ///   - targets: what to watch from now on; the stream may bring further targets and end earlier ones at any time.
  ///   - database: the database's id, `(default)` for the default one.
  func listen(
    to targets: AsyncStream<TargetRequest>,
    database: String
  ) -> AsyncThrowingStream<RemoteEvent, any Error>

  /// Applies writes in order, atomically.
  ///
  /// - Returns: the moment of the commit, which is the documents' new update time.
  func commit(_ writes: [DocumentWrite], database: String) async throws -> Timestamp

  /// The present state of documents, in any order.
  func fetch(_ documents: [ResourcePath], database: String) async throws -> [RemoteDocument]

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
  /// When the document was last changed, or was seen to be missing.
  public var updateTime: Timestamp

  /// Creates a document.
  public init(path: ResourcePath, fields: Fields?, updateTime: Timestamp) {
    self.path = path
    self.fields = fields
    self.updateTime = updateTime
  }
}

/// A wish to watch something, or to end that.
public enum TargetRequest: Sendable {
  /// Watches a query, from where `token` left off.
  case addQuery(StructuredQuery, target: Int, token: Data?)
  /// Watches single documents, from where `token` left off.
  case addDocuments([ResourcePath], target: Int, token: Data?)
  /// Ends a target.
  case remove(target: Int)
}

/// What a remote tells of its targets.
public enum RemoteEvent: Sendable {
  /// A document belongs to some targets, and no longer to others.
  case document(RemoteDocument, added: [Int], removed: [Int])
  /// A target has been sent whole; `token` continues from here.
  case current(target: Int, token: Data)
  /// All targets are as of one moment; `token` continues from here.
  case consistent(at: Timestamp, token: Data)
  /// How many documents a target holds, so that a listener can notice that it missed a removal.
  case existenceFilter(target: Int, count: Int)
  /// A target must be listened to anew, without its token.
  case reset(target: Int)
  /// A target was refused; it has ended.
  case refused(target: Int, any Error)
}
