/// The sending lease: among the processes that use a database, its holder sends the pending writes of all.
extension RemoteStore {
  /// Returns whether there may be writes to send. Until this process holds the lease, another one may send them.
  func mayHaveToSend() throws -> Bool { try lease == nil || isSending || local.nextBatch(after: 0) != nil }

  /// Acquires the lease.
  ///
  /// - Returns: whether this process holds it.
  func startSending() -> Bool {
    isSending = lease?.acquire() ?? true
    return isSending
  }

  /// Releases the lease when nothing is left to send.
  func stopSending() {
    writeStream.becomeIdle()
    releaseLease()
    watchQueue(after: Self.queueTime)
  }

  /// Releases the lease, if this process holds it.
  func releaseLease() {
    lease?.release()
    isSending = false
  }

  /// Checks after a delay whether there are pending writes that no process sends, because the process that made or sent them has
  /// ended.
  func watchQueue(after delay: Duration) {
    guard lease != nil, usesNetwork else { return }
    timers.schedule(.queueLease, after: delay) { [weak self] in
      guard let self else { return }
      // An idle stream stays idle.
      guard (try? mayHaveToSend()) ?? true else { return watchQueue(after: Self.queueTime) }
      fillPipeline()
    }
  }

  /// Returns whether this process may have sent a batch whose answer is not recorded.
  func hasSent(_ id: Int64) -> Bool {
    waitsForDatabase || (writeStream.isReady && pipeline.contains { $0.id == id })
  }

  /// Removes a batch that was not sent from the pipeline.
  func drop(_ id: Int64) { pipeline.removeAll { $0.id == id } }
}
