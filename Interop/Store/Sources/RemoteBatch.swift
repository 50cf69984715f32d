#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes that are applied together or not at all (`google.firestore.v1.WriteRequest`).
public struct RemoteBatch: Sendable {
  /// Tells the batch from every other one, also when it is sent again after its answer was lost.
  public var id: UUID
  /// What is applied, in this order.
  public var writes: [DocumentWrite]

  /// Creates a batch.
  public init(id: UUID = UUID(), writes: [DocumentWrite]) {
    self.id = id
    self.writes = writes
  }
}

/// What became of a batch (`google.firestore.v1.CommitResponse`).
public struct RemoteCommit: Sendable {
  /// What became of one write.
  public struct Result: Sendable {
    /// When the document was last changed; `nil` when that is the moment of the commit.
    public var updateTime: Timestamp?
    /// The values that the write's transforms led to, in their order.
    public var transformResults: [Value]

    /// Creates a result.
    public init(updateTime: Timestamp? = nil, transformResults: [Value] = []) {
      self.updateTime = updateTime
      self.transformResults = transformResults
    }
  }

  /// The moment of the commit.
  public var time: Timestamp
  /// One result per write, in their order.
  public var results: [Result]

  /// Creates an answer.
  public init(time: Timestamp, results: [Result]) {
    self.time = time
    self.results = results
  }
}

/// What a remote tells on a stream of writes.
public enum WriteEvent: Sendable {
  /// The stream is open: batches may be sent.
  case opened(token: Data?)
  /// The first batch that wasn't answered yet has been applied.
  case committed(RemoteCommit, token: Data?)
}
