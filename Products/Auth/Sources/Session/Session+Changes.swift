import TenonCore
import TenonFoundation

/// Streams of the session, and the changes of other processes.
extension Session {
  /// Returns a stream of the session, once it could be read, and of each change of its fingerprint. Slow
  /// readers receive the newest value only.
  ///
  /// - Parameters:
  ///   - fingerprint: returns what to compare; the stream delivers an element when it differs from the last
  ///     one's.
  ///   - element: returns what the stream delivers.
  nonisolated func changes<Element: Sendable>(
    of fingerprint: @escaping @Sendable (ActiveSession?) -> String?,
    _ element: @escaping @Sendable (ActiveSession?) -> Element
  ) -> AsyncStream<Element> {
    let stream = streams.stream(of: fingerprint, element)
    Task { await self.deliverCurrentState() }
    startWatching()
    return stream
  }

  /// Sends the current session to the streams, which reads the store if it couldn't be read before.
  private func deliverCurrentState() {
    do { streams.send(try current()) } catch {
      logger?.error("Listeners wait until the stored session can be read: \(error)")
    }
  }

  /// Starts to look at the store every second, for listeners: another process may sign the user out, and a
  /// session that can't be read may become readable. Calling this again has no effect.
  nonisolated func startWatching() {
    guard store.watchable != nil else { return }
    watch.withLock { task in
      if task != nil { return }
      task = Task { [weak self] in
        // Not the session's clock, which serves the tokens.
        await TimeSource.system.poll(every: .seconds(1)) {
          guard let self else { return false }
          await self.look()
          return true
        }
      }
    }
  }

  /// Delivers what another process has changed.
  private func look() {
    if known != nil { return noticeSignOut() }
    // Whoever asked has been told already that the session can't be read.
    do { streams.send(try current()) } catch {}
  }

  /// Ends all streams, and stops the renewal of tokens. The stored session remains.
  func close() {
    watch.withLock { $0?.cancel() }
    streams.finish()
    stopRenewal()
  }
}
