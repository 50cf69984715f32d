import TenonCore
import TenonFoundation

/// The sending lease: among the processes that use a database, its holder sends the pending writes of all.
extension RemoteExchange {
  /// Returns whether there may be writes to send. Until this process holds the lease, another one may send
  /// them.
  ///
  /// - Throws: the error of the database if the queue can't be read.
  func mayHaveToSend() throws -> Bool { try lease == nil || isSending || local.nextBatch(after: 0) != nil }

  /// Acquires the lease, if there is one. It is kept until nothing is left to send or the network isn't used,
  /// so that no other process sends in between.
  ///
  /// - Returns: whether this process may send.
  func startSending() -> Bool {
    isSending = lease?.acquire() ?? true
    return isSending
  }

  /// How long the oldest write may wait for another process before that is logged.
  static let leaseLogTime = Duration.seconds(60)

  /// Called when another process holds the lease. If it hasn't sent the oldest write for a minute, for example
  /// because it is suspended, that is logged once.
  func noteLeaseWait() {
    guard let oldest = (try? local.oldestBatch()) ?? nil else { return leaseWait = nil }
    guard let wait = leaseWait, wait.oldest == oldest else {
      leaseWait = (oldest, time.now(), false)
      return
    }
    guard !wait.isLogged, time.now() - wait.since >= Self.leaseLogTime else { return }
    leaseWait?.isLogged = true
    let process = lease?.holder.map { "Process \($0)" } ?? "Another process"
    logger.warning(
      "Writes wait. \(process) has the turn to send them, and hasn't sent one for a minute: it may be suspended, "
        + "or not reach the remote.")
  }

  /// Releases the lease when nothing is left to send, and closes the write stream after the idle time. The
  /// queue is watched from then on, because this process may have to send what another one leaves behind.
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

  /// Checks after a delay whether there are pending writes that no process sends, because the process that
  /// made or sent them has ended. The check is repeated every second while there are none.
  ///
  /// - Parameter delay: the time until the first check. No effect without a lease, or while the network isn't
  ///   used.
  func watchQueue(after delay: Duration) {
    guard lease != nil, usesNetwork else { return }
    timers.schedule(.queueLease, after: delay) { [weak self] in
      guard let self else { return }
      // An idle stream stays idle.
      guard (try? mayHaveToSend()) ?? true else { return watchQueue(after: Self.queueTime) }
      fillPipeline()
    }
  }

  /// Returns whether this process may have sent a batch on the present write stream, and its answer isn't
  /// recorded.
  ///
  /// - Parameter id: the batch. While the database fails, every batch counts as sent, because the pipeline
  ///   was cleared.
  func hasSent(_ id: Int64) -> Bool {
    waitsForDatabase || (writeStream.isReady && pipeline.contains(id))
  }

  /// Records in the database that a batch, and all before it, may have reached the remote. A database that
  /// can't be written is noticed elsewhere.
  func recordSent(_ id: Int64) {
    do { try local.recordSent(id) } catch {
      logger.warning("That writes are sent can't be recorded, so that they may be cancelled later: \(error)")
    }
  }

  /// Forgets what was recorded for the present write stream, of which the remote has received nothing.
  func forgetSent() {
    guard let sentBefore else { return }
    do { try local.forgetSent(after: sentBefore) } catch {
      logger.warning("That writes weren't sent can't be recorded, so that they can't be cancelled: \(error)")
    }
  }

  /// Removes a batch from the pipeline that ``hasSent(_:)`` has excluded.
  func drop(_ id: Int64) { pipeline.remove(id) }
}
