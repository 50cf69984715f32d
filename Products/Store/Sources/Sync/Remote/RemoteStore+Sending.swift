/// The lease: of the processes that use a database, the one that holds it sends the pending writes of all.
extension RemoteStore {
  /// Whether writes are pending. Until this process holds the lease, another one may send them.
  func mayHaveToSend() throws -> Bool { try lease == nil || isSending || local.nextBatch(after: 0) != nil }

  /// Acquires the lease.
  ///
  /// - Returns: whether this process holds it.
  func startSending() -> Bool {
    isSending = lease?.acquire() ?? true
    return isSending
  }

  /// Returns the lease when nothing is left to send.
  func stopSending() {
    writeStream.becomeIdle()
    releaseLease()
    watchQueue(after: Self.queueTime)
  }

  func releaseLease() {
    lease?.release()
    isSending = false
  }

  /// Checks after a delay whether writes are pending that no process sends, because the process that made them, or that sent them,
  /// has ended.
  func watchQueue(after delay: Duration) {
    guard lease != nil, usesNetwork else { return }
    timers.schedule(.queueLease, after: delay) { [weak self] in
      guard let self else { return }
      // An idle stream stays idle.
      guard (try? mayHaveToSend()) ?? true else { return watchQueue(after: Self.queueTime) }
      fillPipeline()
    }
  }

  /// Whether this process may have sent a batch whose answer isn't recorded.
  func hasSent(_ id: Int64) -> Bool {
    waitsForDatabase || (writeStream.isReady && pipeline.contains { $0.id == id })
  }

  /// Removes a batch that wasn't sent.
  func drop(_ id: Int64) { pipeline.removeAll { $0.id == id } }
}
