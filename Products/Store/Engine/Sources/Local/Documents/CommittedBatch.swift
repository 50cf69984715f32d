package import TenonFoundation
package import TenonStoreInterop

/// The remote's answer to a batch that it has committed.
package struct CommittedBatch: Sendable {
  /// The batch.
  package let batch: PendingBatch
  /// The results, one for each write, and the time of the commit.
  package let commit: RemoteCommit
  /// The new stream token, which is saved in the same transaction; `nil` to keep the saved one.
  package let token: Data?

  /// Creates an answer.
  package init(_ batch: PendingBatch, _ commit: RemoteCommit, token: Data?) {
    (self.batch, self.commit, self.token) = (batch, commit, token)
  }
}
