#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes that are applied atomically (`google.firestore.v1.WriteRequest`).
public struct RemoteBatch: Sendable, Hashable {
  /// The unique ID of the batch. It stays the same when the batch is sent again because its response was
  /// lost.
  public var id: UUID
  /// The writes, in the order in which they are applied.
  public var writes: [DocumentWrite]

  /// Creates a batch.
  public init(id: UUID = UUID(), writes: [DocumentWrite]) {
    self.id = id
    self.writes = writes
  }
}

/// The result of a commit (`google.firestore.v1.CommitResponse`).
public struct RemoteCommit: Sendable, Hashable {
  /// The result of one write.
  public struct Result: Sendable, Hashable {
    /// The document's update time; `nil` if it is the commit time.
    public var updateTime: Timestamp?
    /// The results of the write's transforms, in their order: the new value of the field, or null for the
    /// transforms of arrays.
    public var transformResults: [Value]

    /// Creates a result.
    public init(updateTime: Timestamp? = nil, transformResults: [Value] = []) {
      self.updateTime = updateTime
      self.transformResults = transformResults
    }
  }

  /// The commit time, which is the update time of the documents that changed.
  public var time: Timestamp
  /// The results of the writes, in their order, one per write.
  public var results: [Result]
  /// Whether the next batch of the stream was applied in the same commit, so that its answer follows
  /// immediately. Store saves such answers together, because the documents that it receives from the remote
  /// contain the effects of all of them. `false` by default.
  public var isFollowed = false

  /// Creates a commit result.
  public init(time: Timestamp, results: [Result]) {
    self.time = time
    self.results = results
  }
}

/// An event of a write stream.
public enum WriteEvent: Sendable, Hashable {
  /// The stream is open, and batches may be sent. The remote's server needn't have been contacted.
  case opened(token: Data?)
  /// The oldest batch without a response has been applied.
  case committed(RemoteCommit, token: Data?)
}
