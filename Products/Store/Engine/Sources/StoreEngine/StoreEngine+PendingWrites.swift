import TenonFoundation
import TenonStoreInterop
import TenonValues

extension StoreEngine {
  /// Returns how many writes wait for the remote's answer, and what they wait for.
  ///
  /// - Throws: as ``useAsUser(_:)``.
  package func pendingWrites() async throws -> PendingWrites {
    try await useAsUser { running in
      var (count, others): (Int, Int) = (0, 0)
      var oldest: Timestamp?
      for queue in try running.local.queueLengths() {
        if queue.user == (running.local.user ?? "") {
          (count, oldest) = (queue.count, queue.oldest)
        } else {
          others += queue.count
        }
      }
      let (time, remote) = (configuration.time, running.sync.remote)
      let state = count == 0 ? .empty : remote?.queueState ?? .noRemote
      let wait = remote?.writeStream.waitsUntil.map { max($0 - time.now(), .zero) }
      let failure = (remote?.lastFailure ?? outage.failure).map(StoreError.wrapping) as? StoreError
      return PendingWrites(
        count: count, oldest: oldest, state: state,
        nextAttempt: state == .backingOff
          ? wait.map { time.date().addingTimeInterval($0 / .seconds(1)) } : nil,
        failure: failure, process: state == .otherProcess ? running.lease?.holder : nil,
        countOfOtherUsers: others, rejectedCount: try running.local.rejections().count)
    }
  }
}

extension RemoteExchange {
  /// What the queue is doing if it isn't empty.
  var queueState: PendingWrites.State {
    if isDisabled { return .networkDisabled }
    if waitsForDatabase { return .databaseFailed }
    if lastFailure != nil { return .remoteFailed }
    if lease != nil, !isSending { return .otherProcess }
    return writeStream.waitsUntil == nil ? .sending : .backingOff
  }
}
