/// An upload or a download that runs, whose states can be followed.
///
/// It is for libraries that adapt the states to another form, such as the publishers of TenonStoreCombine.
///
/// Requirements for implementations:
/// - Each access of ``snapshots`` creates another stream. A slow consumer receives only the latest state.
/// - Ending an iteration doesn't end the transfer.
public protocol StorageTransfer: Sendable {
  /// The state of the transfer at one moment.
  associatedtype Snapshot: Sendable

  /// The state now, and after each change. The stream ends after the state of success, or with the error of a
  /// transfer that failed or was cancelled.
  var snapshots: AsyncThrowingStream<Snapshot, any Error> { get }
}
