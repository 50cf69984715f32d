import TenonCore
import TenonDocuments
import TenonFoundation
import TenonSQLite
package import TenonStoreInterop

/// The write stream and its pipeline.
extension RemoteExchange {
  /// Sends pending batches up to the pipeline's limit, unless another process sends.
  ///
  /// Called whenever there may be more to send: after a write, an answer, a change of the user or of the
  /// network, and changes of other processes. If another process holds the lease, this one tries again every
  /// 100 milliseconds while there are pending writes. If the queue can't be read at all, observers of writes
  /// receive the error.
  package func fillPipeline() {
    guard usesNetwork else { return }
    do {
      guard try mayHaveToSend() else { return stopSending() }
      guard startSending() else {
        noteLeaseWait()
        return watchQueue(after: Self.leaseTime)
      }
      // The queue is read while holding the lease: before that, another process may send a batch and remove
      // it.
      while pipeline.hasRoom, let batch = try local.nextBatch(after: pipeline.last?.id ?? 0) {
        // It becomes complete when the writes before it have been answered, and is then read again.
        guard pipeline.isEmpty || !batch.content.awaitsVersions else { break }
        pipeline.append(batch)
        if writeStream.isOpen {
          writeStream.becomeBusy()
          if writeStream.isReady { send(batch) }
        }
      }
    } catch {
      let last = pipeline.last?.id ?? 0
      do { try waitForDatabase(error) { [local] in _ = try local.nextBatch(after: last) } } catch {
        logger.error("The queue of writes can't be read: \(error)")
        syncer.sendingFails(error)
      }
      return
    }
    if pipeline.isEmpty { return stopSending() }
    if needsWriteStream { writeStream.start() }
  }

  /// Whether the write stream must be opened.
  private var needsWriteStream: Bool { usesNetwork && !writeStream.isStarted && !pipeline.isEmpty }

  /// Opens the connection of the write stream with the last stream token of the current user; without one if
  /// it can't be read.
  func writeOpens() {
    heldAnswers = []
    streams.openWrite(token: (try? local.writeToken()) ?? nil, for: local.user)
  }

  /// Sends a batch, whose ID is the same each time that it is sent.
  private func send(_ batch: PendingBatch) {
    recordSent(batch.id)
    streams.send(RemoteBatch(id: batch.uuid, writes: batch.content.sent))
  }

  /// Processes an event of the write stream.
  ///
  /// When the stream has been opened, the whole pipeline is sent. That isn't an answer of the remote: one
  /// that sends each batch in a separate request opens the stream before it contacts its server. An answer
  /// belongs to the first batch of the pipeline. If its result can't be saved now, the network isn't used
  /// until it is, so that the batch isn't sent again in the meantime.
  ///
  /// - Parameter event: the event; ignored unless the stream is open.
  /// - Throws: a permanent error of the database.
  package func receive(_ event: WriteEvent) throws { try receive([event]) }

  /// Processes events of the write stream that have arrived together; see ``receive(_:)``. Consecutive
  /// answers are saved in one transaction, because making it durable takes most of its time.
  ///
  /// - Parameter events: the events in their order; ignored unless the stream is open.
  /// - Throws: a permanent error of the database, when all events have been processed.
  package func receive(_ events: [WriteEvent]) throws {
    let events = completeAnswers(heldAnswers + events)
    var failure: (any Error)?
    var answers: [CommittedBatch] = []
    for event in events {
      guard writeStream.isOpen else { break }
      switch event {
      case .opened(let token):
        do { try opened(token) } catch { failure = failure ?? error }
      case .committed(let commit, let token):
        // An answer without a request is ignored.
        guard writeStream.isReady, !pipeline.isEmpty else { continue }
        syncer.remoteAnswered()
        writeStream.succeeded()
        self.failure = nil
        remoteIsHeard()
        answers.append(CommittedBatch(pipeline.removeFirst(), commit, token: token))
      }
    }
    guard !answers.isEmpty else {
      if let failure { throw failure }
      return
    }
    do {
      try recovering { [weak self] in try self?.syncer.acknowledgeWrites(answers) }
    } catch  where answers.count > 1 {
      // Only the one that is damaged is lost.
      for answer in answers {
        do { try recovering { [weak self] in try self?.syncer.acknowledgeWrites([answer]) } } catch {
          failure = failure ?? error
        }
      }
    }
    fillPipeline()
    if let failure { throw failure }
  }

  /// Returns the events that can be processed, and holds answers at their end that others of the same commit
  /// follow.
  private func completeAnswers(_ events: [WriteEvent]) -> ArraySlice<WriteEvent> {
    let last = events.lastIndex { event in
      if case .committed(let commit, _) = event { !commit.isFollowed } else { true }
    }
    let end = last.map { $0 + 1 } ?? 0
    heldAnswers = Array(events[end...])
    return events[..<end]
  }

  /// Sends the whole pipeline, because the write stream has been opened.
  ///
  /// - Parameter token: the stream token, which is saved; `nil` for none.
  /// - Throws: a permanent error of the database.
  private func opened(_ token: Data?) throws {
    guard !writeStream.isReady else { return }
    writeStream.isReady = true
    if let token { try recovering { [local] in try local.saveWriteToken(token) } }
    guard writeStream.isReady else { return }
    sentBefore = try? local.lastSent()
    // One record for all of them.
    if let last = pipeline.last { recordSent(last.id) }
    for batch in pipeline.batches { send(batch) }
  }

  /// Called when the remote has ended the write stream. If it was ready, an error belongs to the first
  /// unanswered batch.
  ///
  /// - A permanent error of a ready stream rejects that batch; the stream is opened again immediately for the
  ///   following ones.
  /// - A permanent error, or a conflict, before the stream was ready may concern the stream token, which is
  ///   deleted; the stream is opened again without it. A permanent error without a token is a failure of the
  ///   remote.
  /// - After any other error, the stream is opened again with backoff, and all unanswered batches are sent
  ///   again.
  ///
  /// - Parameter error: the error; `nil` if the remote has ended the stream without one.
  /// - Throws: a permanent error of the database.
  package func writeCloses(_ error: StoreRemoteError?) throws {
    let wasReady = writeStream.isReady
    if error?.isUnsent == true { forgetSent() }
    guard let error else {
      writeStream.ended()
      if needsWriteStream { writeStream.start() }
      return
    }
    if !error.isPermanent { recordOutage(error, of: writeStream) }
    writeStream.failed(exhausted: error.code == .resourceExhausted, unsent: error.isUnsent)
    if !pipeline.isEmpty {
      if wasReady, error.isPermanent {
        remoteIsHeard()
        let batch = pipeline.removeFirst()
        writeStream.inhibitBackoff()
        try recovering { [weak self] in try self?.syncer.rejectWrite(batch, error) }
        fillPipeline()
      } else if !wasReady, error.mayConcernToken {
        let hadToken = ((try? local.writeToken()) ?? nil) != nil
        guard hadToken || !error.isPermanent else { return try remoteFails(error) }
        try recovering { [local] in try local.saveWriteToken(nil) }
      }
    }
    if needsWriteStream { writeStream.start() }
  }
}
