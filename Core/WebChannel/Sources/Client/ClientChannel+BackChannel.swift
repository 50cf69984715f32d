extension ClientChannel {
  /// A GET whose response is the server's entries.
  struct BackChannel: Sendable {
    /// The number of the request.
    let number: Int
    let openedAt: Duration
    /// The entries of the response.
    var reader: EntryReader
    /// Whether the response has ended, and in an orderly way, though not all of its entries were read.
    var ending: Bool?
    /// Whether the head of the response has arrived.
    var hasHead = false
    /// Whether a new entry has arrived.
    var hasEntry = false
    /// When the next byte must have arrived.
    var watchdog: Duration
    /// When the first byte must have arrived if no proxy holds it back.
    var bufferingDeadline: Duration?
  }

  /// How much older than a POST a back channel must be, so that a server that doesn't know it when it answers
  /// has lost it: an estimate of the round-trip time, as in Google's clients.
  private static let roundTrip: Duration = .seconds(3)
  /// The size of outstanding entries up to which they should arrive within two round trips, as in Google's
  /// clients.
  private static let smallBacklog = 37_500
  /// A back channel that ends sooner, without an entry, isn't opened again immediately.
  private static let shortLife: Duration = .seconds(1)

  /// The longest time without bytes.
  private var longestSilence: Duration {
    let longest = keepAlive * 3 / 2
    return polls ? max(longest, settings.longPollingTimeout * 3 / 2) : longest
  }

  /// Opens a back channel, unless the driver doesn't read.
  mutating func openBackChannel(at now: Duration) {
    guard phase == .open, backChannel == nil, wantsBytes else { return }
    backChannelRetry = nil
    let query = ChannelQuery(
      requestID: .backChannel, acknowledged: lastEntry, isLongPolling: polls, type: "xmlhttp",
      timeout: polls ? settings.longPollingTimeout : nil)
    let number = perform(.backChannel, query)
    backChannel = BackChannel(
      number: number, openedAt: now, reader: EntryReader(limits: settings.limits),
      watchdog: now + longestSilence,
      bufferingDeadline: hasDetectedBuffering ? nil : now + max(handshakeTime * 4, settings.bufferingDelay))
  }

  /// Opens a back channel after a delay, or ends the channel if no attempt is left.
  private mutating func retryBackChannel(at now: Duration) {
    backChannel = nil
    overdue = nil
    guard backChannelAttempts < settings.backChannelRetries else { return end(.unreachable) }
    let delay = delay(before: backChannelAttempts)
    backChannelAttempts += 1
    if delay == .zero {
      openBackChannel(at: now)
    } else {
      backChannelRetry = now + delay
    }
  }

  /// Cancels the back channel, and opens another one after a delay.
  private mutating func replaceBackChannel(at now: Duration) {
    if let backChannel { actions.append(.cancel(backChannel.number)) }
    retryBackChannel(at: now)
  }

  /// Takes note of what became of the back channel.
  mutating func receiveBackChannel(_ event: ResponseEvent, at now: Duration) {
    switch event {
    case .head(let status, _):
      guard accepts(status: status) else { return }
      backChannel?.hasHead = true
    case .bytes(let bytes):
      let silenceEnds = now + longestSilence
      overdue = nil
      hasDetectedBuffering = true
      backChannel?.bufferingDeadline = nil
      backChannel?.watchdog = silenceEnds
      backChannel?.reader.append(bytes)
      readBackChannel(at: now)
      if let held = backChannel?.reader.heldBytes, held > settings.limits.frameBytes, !wantsBytes {
        end(
          .invalid(ChannelError(.tooLarge, "More bytes of the back channel were read than fit into memory.")))
      }
    case .end, .failure:
      backChannel?.ending = event == .end
      readBackChannel(at: now)
    }
  }

  /// Reads the entries of the back channel, until the driver has to wait.
  private mutating func readBackChannel(at now: Duration) {
    do throws(ChannelError) {
      while phase == .open, wantsBytes {
        guard let entry = try backChannel?.reader.next() else { return endBackChannel(at: now) }
        try receive(entry, at: now)
      }
    } catch {
      end(.invalid(error))
    }
  }

  /// If the response has ended, opens the next back channel immediately, unless the last one was of no use.
  private mutating func endBackChannel(at now: Duration) {
    guard let ended = backChannel, let isOrderly = ended.ending else { return }
    guard isOrderly, ended.hasHead, ended.reader.isBetweenFrames,
      ended.hasEntry || now - ended.openedAt >= Self.shortLife
    else { return retryBackChannel(at: now) }
    backChannel = nil
    overdue = nil
    backChannelAttempts = 0
    openBackChannel(at: now)
  }

  /// Continues reading after messages were consumed.
  mutating func resume(at now: Duration) {
    let silenceEnds = now + longestSilence
    let bufferingEnds = now + settings.bufferingDelay
    if overdue != nil { overdue = now + Self.roundTrip * 2 }
    backChannel?.watchdog = silenceEnds
    if backChannel?.bufferingDeadline != nil {
      backChannel?.bufferingDeadline = bufferingEnds
    }
    if handshake != nil { readHandshake(at: now) }
    readBackChannel(at: now)
    if backChannel == nil, backChannelRetry == nil { openBackChannel(at: now) }
  }

  /// Takes note of what the answer to a POST says about the back channel.
  ///
  /// - Parameter startedAt: when the POST was sent.
  mutating func receive(_ answer: ForwardAnswer, ofPostAt startedAt: Duration, at now: Duration) {
    guard phase == .open, wantsBytes, backChannelRetry == nil else { return }
    guard answer.hasBackChannel else {
      if let backChannel, backChannel.openedAt + Self.roundTrip >= startedAt { return }
      return replaceBackChannel(at: now)
    }
    guard answer.lastNumber > lastEntry, answer.outstandingBytes < Self.smallBacklog, !polls,
      backChannelAttempts == 0, overdue == nil
    else { return }
    overdue = now + Self.roundTrip * 2
  }

  /// Does what is due for the back channel.
  mutating func advanceBackChannel(to now: Duration) {
    guard phase == .open else { return }
    if let backChannelRetry, backChannelRetry <= now {
      self.backChannelRetry = nil
      return openBackChannel(at: now)
    }
    guard wantsBytes, let backChannel else { return }
    if let bufferingDeadline = backChannel.bufferingDeadline, bufferingDeadline <= now {
      // Nothing has arrived in a time in which even an idle server sends something: a proxy waits for the
      // response's end.
      hasDetectedBuffering = true
      polls = true
      actions.append(.cancel(backChannel.number))
      self.backChannel = nil
      overdue = nil
      return openBackChannel(at: now)
    }
    if let overdue, overdue <= now { return replaceBackChannel(at: now) }
    if backChannel.watchdog <= now {
      // A server that has answered is idle, as Google's emulator is for minutes; one that hasn't may be gone.
      if backChannel.hasHead { backChannelAttempts = 0 }
      replaceBackChannel(at: now)
    }
  }
}
