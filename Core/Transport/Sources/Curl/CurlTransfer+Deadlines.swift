#if os(Linux)
  import CTransport
  import TenonFoundation
  import TenonTransportInterop

  // Deadlines: the stages of an exchange, and the time that each may take.
  extension CurlTransfer {
    /// Begins a stage, or continues it: its timeout is counted from now on.
    func enter(_ stage: Stage) {
      progressTime = .now
      self.stage = stage
    }

    /// Returns the next time at which a deadline may have been missed; `nil` if there is none.
    ///
    /// The exchange may enter another phase before, so this is no later than the end of a phase that would
    /// begin now.
    ///
    /// - Parameter now: the current time.
    /// - Returns: the earliest of the deadline of the exchange, that of the current phase, and those of
    ///   phases that would begin now.
    func nextCheck(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
      let timeouts = exchange.request.timeouts
      let phases = [timeouts.firstByte, timeouts.inactivity].compactMap { $0.map { now + $0.limited } }
      return (phases + [exchange.deadline, phaseDeadline?.time].compactMap(\.self)).min()
    }

    /// The deadline of the current phase, and the timeout from which it results; `nil` if there is no limit,
    /// or if the caller has caused a pause.
    private var phaseDeadline: (time: ContinuousClock.Instant, timeout: TransportError.Timeout)? {
      let timeouts = exchange.request.timeouts
      switch stage {
      case .connecting: return timeouts.connecting.map { (start + $0.limited, .connecting) }
      case .waiting: return timeouts.firstByte.map { (progressTime + $0.limited, .firstByte) }
      // The caller's side is slow, not the server.
      case .sending, .receiving:
        return paused != 0 ? nil : timeouts.inactivity.map { (progressTime + $0.limited, .inactivity) }
      }
    }

    /// Returns the error of a deadline that has passed; `nil` if none has.
    ///
    /// - Parameter now: the current time.
    /// - Returns: `timedOut` or, if there is no connection yet, `unreachable`, with the timeout. If several
    ///   deadlines have passed, that of the whole exchange is the one that is named.
    func missedDeadline(_ now: ContinuousClock.Instant) -> TransportError? {
      // Versions of libcurl before 7.80 don't report when the connection is ready.
      if stage == .connecting, case let time = tenon_curl_pretransfer_time(easy), time > 0 {
        stage = body.isRead ? .sending : .waiting
        // Checked: libcurl's time of this transfer, an integer.
        progressTime = start + .microseconds(time)
      }
      let host = exchange.origin.host
      if let deadline = exchange.deadline, now >= deadline {
        return TransportError(
          .timedOut, "\(host) didn't answer in time. Try again, or allow more time.", timeout: .exchange)
      }
      guard let (time, timeout) = phaseDeadline, now >= time else { return nil }
      switch timeout {
      case .connecting:
        return TransportError(
          .unreachable, "\(host) doesn't answer. Check the network and the address.", timeout: .connecting)
      case .firstByte:
        return TransportError(
          .timedOut, "\(host) received the request and doesn't answer.", timeout: .firstByte)
      default:
        return TransportError(
          .timedOut, "\(host) has stopped in the middle of the transfer.", timeout: .inactivity)
      }
    }
  }
#endif
