import TenonCore

/// What calls the engine from outside: its timers, and the streams to the remote.
extension StoreEngine {
  /// Runs the action of a timer; no effect if the database was closed in the meantime.
  func fire(_ timer: SyncTimer, _ number: Int) {
    guard case .open(let running) = state else { return }
    running.timers.fire(timer, number)
  }

  /// Truncates the write-ahead log if the database is idle.
  ///
  /// - Returns: whether the timer of the log may end; `true` also if the database was closed in the meantime.
  func trimLogIfIdle() -> Bool {
    guard case .open(let running) = state else { return true }
    guard running.log?.trimIfIdle() ?? true else { return false }
    // Truncating the log has freed space.
    reserve?.fill()
    return true
  }

  /// Passes the events of streams to the exchange, on the engine's executor. An event of a stream that is
  /// no longer the current one is ignored.
  nonisolated var receiver: EngineStreams.Receiver {
    EngineStreams.Receiver(
      listen: { [weak self] event, number in
        await self?.receive { running in
          guard running.streams?.listenNumber == number else { return }
          try running.sync.remote?.receive(event)
        }
      },
      listenClosed: { [weak self] error, number in
        await self?.receive { running in
          guard running.streams?.listenNumber == number else { return }
          try running.sync.remote?.listenCloses(error)
        }
      },
      write: { [weak self] events, number in
        await self?.receive { running in
          guard running.streams?.writeNumber == number else { return }
          try running.sync.remote?.receive(events)
        }
      },
      writeClosed: { [weak self] error, number in
        await self?.receive { running in
          guard running.streams?.writeNumber == number else { return }
          try running.sync.remote?.writeCloses(error)
        }
      })
  }

  /// Processes an event of a stream. Errors are logged.
  ///
  /// - Parameter body: processes the event, unless its stream was closed in the meantime.
  private func receive(_ body: @Sendable (Running) throws -> Void) async {
    // Another user may have signed in since the stream was opened; it is closed in that case.
    try? await refreshUser()
    guard case .open(let running) = state else { return }
    do { try body(running) } catch {
      configuration.logger.error("What the remote sent can't be processed: \(error)")
    }
  }
}
